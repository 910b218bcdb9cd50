// What is found out about pictures beside filtering them, and how far all work is.
#include "ui/bridge/session.h"

#include <utility>

namespace tessera {

namespace {
constexpr int progressAfterMs = 500;
}

void Session::setRegion(const Rectangle &region) {
    Document *now = document();
    if (!now)
        return;
    DocumentView view = now->view();
    view.region = region;
    now->setView(view);
    emit regionChanged();
    updateRegion();
}

void Session::updateRegion() {
    Document *now = document();
    if (!now || region().empty())
        return;
    const SharedImage before = now->source().stack.picture(), after = shownPicture();
    analyse(tr("Statistics of the region"),
            [this, before, after, region = region(), of = std::weak_ptr(currentDocument())](const RunControl &control) {
                try {
                    const ImageStatistics ofBefore = computeStatistics(before->view().part(region), control);
                    std::optional<ImageStatistics> ofAfter;
                    if (after != before)
                        ofAfter = computeStatistics(after->view().part(region), control);
                    postTo(this, [=, this] {
                        if (region == this->region() && of.lock().get() == document())
                            emit regionStatistics(ofBefore, ofAfter);
                    });
                } catch (const Error &) {
                    return; // stopped by a newer region
                }
            });
}

void Session::analyse(const QString &what, JobThread::Job job) {
    analysisJob_ = what;
    analysisClock_.start();
    progressTimer_.start();
    analysis_.submit(std::move(job));
}

void Session::findLargestChange() {
    Document *now = document();
    const SharedImage before = now ? now->source().stack.picture() : nullptr, after = now ? shownPicture() : nullptr;
    const Rectangle part = region();
    if (!now || after == before)
        return emit messageWanted(
            {Message::Kind::Information, tr("Nothing has changed yet"), tr("choose a filter first")});
    analyse(tr("Looking for the largest change"),
            [this, before, after, part, of = std::weak_ptr(currentDocument())](const RunControl &control) {
                try {
                    const Rectangle where = part.empty() ? before->view().bounds() : part;
                    LargestDifference found =
                        findLargestDifference(before->view().part(where), after->view().part(where), control);
                    found.x += where.x;
                    found.y += where.y;
                    postTo(this, [this, found, of] {
                        if (of.lock().get() == document()) // else it is a place in a picture that is not shown any more
                            emit largestChangeFound(found);
                    });
                } catch (const Error &) {
                    return; // stopped by a newer question
                }
            });
}

void Session::updateProgress() {
    const bool filterLong = runner_.running() && runner_.elapsedMs() >= progressAfterMs;
    const bool filesLong = busyWithFiles() && fileClock_.isValid() && fileClock_.elapsed() >= progressAfterMs;
    const bool variantLong = variantRuns_.running() && variantRuns_.elapsedMs() >= progressAfterMs;
    const bool analysisLong =
        analysis_.busy() && analysisClock_.isValid() && analysisClock_.elapsed() >= progressAfterMs;
    progressShown_ |= filterLong || filesLong || variantLong || analysisLong;
    if (filterLong)
        emit progressChanged(tr("Filtering"), runner_.progress());
    else if (filesLong)
        emit progressChanged(fileJob_, files_.progress());
    else if (variantLong)
        emit progressChanged(tr("Filtering with %1").arg(variantRuns_.current().section(QLatin1Char('@'), 0, 0)),
                             variantRuns_.progress());
    else if (analysisLong)
        emit progressChanged(analysisJob_, analysis_.progress());
    else if (std::exchange(progressShown_, false))
        emit progressChanged({}, -1);
    if (!runner_.running() && !busyWithFiles() && !variantRuns_.running() && !analysis_.busy())
        progressTimer_.stop();
}

} // namespace tessera
