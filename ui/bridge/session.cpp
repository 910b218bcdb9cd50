#include "ui/bridge/session.h"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {
constexpr std::size_t closedKept = 20;
constexpr double quickMs = 12; // a whole result within a frame, its painting included, needs no preview

// Up to parameters and options, so that the time of the one says something about the other's.
bool sameFilters(const Chain &a, const Chain &b) {
    return std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                      [](const FilterStep &x, const FilterStep &y) {
                          return x.filter.name == y.filter.name && x.enabled == y.enabled;
                      });
}
} // namespace

Session::Session(QObject *parent) : QObject(parent) {
    connect(&runner_, &FilterRunner::previewReady, this, &Session::previewReady);
    connect(&runner_, &FilterRunner::resultReady, this, &Session::onResult);
    connect(&runner_, &FilterRunner::statisticsReady, this, &Session::onStatistics);
    connect(&runner_, &FilterRunner::failed, this, &Session::messageWanted);
    connect(&runner_, &FilterRunner::deviceLost, this, &Session::onDeviceLost);
    connect(&runner_, &FilterRunner::finished, this, &Session::onFinished);
    connect(&variantRuns_, &VariantRuns::changed, this, [this] {
        if (variantRuns_.running())
            progressTimer_.start();
        updateProgress();
    });
    connect(&race_, &RaceRunner::failed, this, &Session::messageWanted);
    connect(&race_, &RaceRunner::started, this, &Session::runStateChanged);
    connect(&race_, &RaceRunner::finished, this, &Session::runStateChanged);
    connect(&crossover_, &CrossoverRunner::failed, this, &Session::messageWanted);
    connect(&crossover_, &CrossoverRunner::stateChanged, this, &Session::runStateChanged);
    progressTimer_.setInterval(100);
    connect(&progressTimer_, &QTimer::timeout, this, &Session::updateProgress);
}

Session::~Session() = default;

Document *Session::documentAt(int index) {
    return index >= 0 && index < count() ? documents_[std::size_t(index)].get() : nullptr;
}

const Document *Session::documentAt(int index) const {
    return index >= 0 && index < count() ? documents_[std::size_t(index)].get() : nullptr;
}

int Session::indexOf(const Document *document) const {
    const auto is = [document](const std::shared_ptr<Document> &each) { return each.get() == document; };
    const auto found = std::ranges::find_if(documents_, is);
    return found == documents_.end() ? -1 : int(found - documents_.begin());
}

void Session::addDocument(std::shared_ptr<Document> document) {
    documents_.push_back(std::move(document));
    setCurrentIndex(count() - 1);
}

void Session::setCurrentIndex(int index) {
    const auto waiting = std::exchange(raceAgain_, {}); // for a filter that runs again when its picture comes back
    runner_.cancel();
    raceAgain_ = waiting;
    variantRuns_.stop();
    analysis_.cancel(); // of what is not shown any more
    current_ = std::clamp(index, -1, count() - 1);
    holdRaceOutOfSight();
    lastRunMs_ = quickMs; // what another picture took says nothing about this one
    emit documentsChanged();
    emit chainChanged();
    emit resultChanged();
    if (document())
        runner_.prepare(choose_, variant_, device_);
    if (Document *now = document(); now && doesAnything(now->chain()) && !now->resultIsCurrent())
        run();
    else
        runVariants();
    updateRegion();
}

void Session::closeDocument(int index) {
    if (!documentAt(index))
        return;
    const bool wasCurrent = index == current_;
    const Document &closing = *documents_[std::size_t(index)];
    if (raceAgain_.lock().get() == &closing)
        raceAgain_.reset();
    if (races_.racing() == &closing)
        race_.cancel();
    races_.forget(&closing);
    if (wasCurrent) {
        runner_.cancel();
        variantRuns_.stop();
    }
    if (!closing.path().empty()) {
        closed_.push_back(entryOf(closing));
        if (closed_.size() > closedKept)
            closed_.erase(closed_.begin());
    }
    settleSaving(&closing);
    documents_.erase(documents_.begin() + index);
    const int next = index < current_ || current_ >= count() ? current_ - 1 : current_;
    if (wasCurrent) {
        setCurrentIndex(next);
    } else {
        current_ = next;
        emit documentsChanged();
    }
}

void Session::edit(const std::function<void(Document &)> &change) {
    Document *now = document();
    if (!now)
        return;
    const Chain before = now->chain();
    const std::size_t selected = now->currentStep();
    change(*now);
    if (now->chain() == before && now->currentStep() == selected)
        return;
    emit chainChanged();
    if (!(now->chain() == before))
        run();
}

void Session::undo() {
    edit([](Document &document) { document.undo(); });
}

void Session::redo() {
    edit([](Document &document) { document.redo(); });
}

void Session::findEngines() {
    engines_.submit([this](const RunControl &) {
        std::vector<EngineEntry> entries;
        for (const auto &engine : availableEngines()) {
            EngineEntry entry;
            entry.deviceId = QString::fromStdString(engine->deviceId());
            entry.deviceName = QString::fromStdString(engine->deviceName());
            entry.lost = engine->isLost();
            entry.label = engine->deviceKind() == DeviceKind::Cuda        ? entry.deviceName
                          : engine->deviceKind() == DeviceKind::Simulator ? tr("simulator")
                                                                          : tr("CPU");
            for (const VariantInfo &variant : engine->variants())
                entry.variants.emplace_back(QString::fromStdString(variant.name),
                                            QString::fromStdString(variant.description));
            entries.push_back(std::move(entry));
        }
        postTo(this, [this, entries = std::move(entries)] { emit enginesFound(entries); });
    });
}

void Session::setEngine(const std::string &variant, const std::string &device) {
    if (variant == variant_ && device == device_)
        return;
    variant_ = variant;
    device_ = device;
    emit engineChanged();
    emit messageSettled(filterTopic); // what the other engine could not do
    if (document() && doesAnything(document()->chain()))
        run();
}

void Session::setView(const Rectangle &visible, double zoom) {
    visible_ = visible;
    zoom_ = zoom;
    runner_.look(visible, zoom);
    variantRuns_.look(visible, zoom);
    race_.giveWay();
}

void Session::runAgain() {
    if (document())
        run();
}

FilterRequest Session::request() const {
    const Document &now = *currentDocument();
    FilterRequest request;
    request.source = now.source().stack;
    request.chain = now.chain();
    request.variant = variant_;
    request.device = device_;
    request.choose = choose_;
    request.visible = visible_.empty() ? now.picture().view().bounds() : visible_;
    request.zoom = zoom_;
    return request;
}

void Session::run() {
    Document *now = document();
    endOutdatedRace();
    variantRuns_.stop();
    if (!doesAnything(now->chain())) { // an endless race waits for the next filter
        runner_.cancel();
        emit messageSettled(filterTopic); // nothing is left that could fail
        now->setResult({}, now->chain());
        emit resultChanged();
        updateRegion();
        return;
    }
    FilterRequest request = this->request();
    const FilterResult *last = now->result();
    const bool knownQuick =
        last && !last->picture.stack.empty() && lastRunMs_ < quickMs && sameFilters(now->resultChain(), now->chain());
    const bool small = std::int64_t(now->picture().width()) * now->picture().height() < 300'000;
    request.preview = !knownQuick && !small;
    runDocument_ = currentDocument();
    race_.setHeld(true);
    crossover_.setHeld(true);
    runner_.start(std::move(request));
    progressTimer_.start();
    emit runStateChanged();
}

void Session::onResult(const std::shared_ptr<FilterResult> &result, const Chain &chain) {
    lastRunMs_ = double(runner_.elapsedMs());
    if (const auto owner = runDocument_.lock()) {
        owner->setResult(std::move(*result), chain);
        if (owner.get() == document())
            emit resultChanged();
    }
}

void Session::onStatistics(const ImageStatistics &statistics) {
    const auto owner = runDocument_.lock();
    if (!owner)
        return;
    owner->setResultStatistics(statistics);
    if (owner.get() != document())
        return;
    emit resultChanged();
    updateRegion();
}

void Session::runVariants() {
    if (Document *now = document(); now && now->resultIsCurrent() && doesAnything(now->chain()))
        variantRuns_.start(request());
}

// Told once, however many runs it strikes: the work goes on, and nothing that is open is touched.
void Session::onDeviceLost(const QString &device, const QString &why) {
    if (std::exchange(lost_, device) == device)
        return;
    emit messageWanted({Message::Kind::Warning,
                        tr("The device %1 failed, and the CPU goes on in its place: %2").arg(device, why),
                        tr("nothing that is open was lost; start Tessera again to use the device again")});
    findEngines();
}

void Session::onFinished(bool cancelled) {
    race_.setHeld(false);
    crossover_.setHeld(false);
    if (!cancelled)
        runVariants();
    if (std::exchange(copyAgain_, false)) {
        if (document() && document()->resultIsCurrent())
            copyShown();
        else
            emit messageSettled(pictureTopic); // there will be none
    }
    updateProgress();
    if (const Document *now = document();
        now && raceAgain_.lock().get() == now && now->step() && doesAnything(now->chain())) {
        raceAgain_.reset();
        startRace();
    }
    emit runStateChanged();
}

void Session::cancel() {
    const bool filtering = runner_.running();
    stopRace();
    crossover_.cancel();
    runner_.cancel();
    variantRuns_.cancel();
    files_.cancel();
    analysis_.cancel();
    if (const int left = std::exchange(restoring_, 0))
        emit restored(std::exchange(notRestored_, 0) + left);
    if (!std::exchange(saves_, {}).empty()) {
        emit saveFailed();
        emit messageWanted({Message::Kind::Warning, tr("Saving was cancelled"), tr("save again to have the file")});
    }
    if (filtering)
        emit messageWanted({Message::Kind::Information, tr("Cancelled; the picture shows the result from before"),
                            tr("press F5 to filter again, or undo the change"), pictureTopic});
    emit runStateChanged();
}

SharedImage Session::shownPicture() {
    const Document *now = document();
    if (!now)
        return nullptr;
    const FilterResult *result = now->result();
    return result && !result->picture.stack.empty() ? result->picture.stack.picture() : now->source().stack.picture();
}

} // namespace tessera
