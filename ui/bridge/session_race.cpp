// Races: of which document, for how long, and what ends them.
#include "ui/bridge/session.h"

namespace tessera {

namespace {
RaceSubject subjectOf(const Document &document) {
    return raceSubject(document.picture(), document.title(), *document.step());
}
} // namespace

std::optional<RaceSubject> Session::raceSubject() const {
    const Document *now = document();
    return now && now->step() ? std::optional(subjectOf(*now)) : std::nullopt;
}

void Session::startRace() {
    const Document *now = document();
    if (now && now->step())
        return beginRace(currentDocument());
    emit messageWanted({Message::Kind::Information, tr("There is nothing to race yet"),
                        now ? tr("choose a filter") : tr("open a picture and choose a filter"), pictureTopic});
}

void Session::beginRace(const std::shared_ptr<Document> &document) {
    raceAgain_.reset();
    crossover_.cancel(); // the two would measure each other
    race_.setHeld(runner_.running());
    RaceOptions options;
    options.endless = raceEndless_;
    races_.begin(document.get(), subjectOf(*document));
    holdRaceOutOfSight();
    race_.start(document->source().stack.picture(), *document->step(), options);
}

void Session::stopRace() {
    raceAgain_.reset();
    race_.cancel();
}

// The current document's chain has changed, or is run again. A race of another one, or of what is still there, goes on:
// it is held while the filter runs.
void Session::endOutdatedRace() {
    const Document *now = document();
    if (races_.racing() != now)
        return;
    const RaceRecord *record = races_.of(now);
    if (record && now->step() && doesAnything(now->chain()) && record->subject == subjectOf(*now))
        return;
    if (raceEndless_ && !race_.paused())
        raceAgain_ = currentDocument();
    race_.cancel();
}

// One that ends by itself goes on behind another picture; one that does not would take the machine's time for nobody.
void Session::holdRaceOutOfSight() { race_.setOutOfSight(raceEndless_ && races_.racing() != document()); }

// In the middle of a race it begins again in the other way.
void Session::setRaceEndless(bool endless) {
    if (endless == raceEndless_)
        return;
    raceEndless_ = endless;
    if (!endless && !runner_.running())
        raceAgain_.reset(); // nothing waits for a filter any more
    if (const int racing = indexOf(races_.racing()); racing >= 0 && documentAt(racing)->step())
        beginRace(documents_[std::size_t(racing)]);
}

void Session::startCrossover(const CrossoverPlan &plan, bool afresh) {
    stopRace();
    crossover_.setHeld(runner_.running());
    crossover_.start(plan, afresh);
}

} // namespace tessera
