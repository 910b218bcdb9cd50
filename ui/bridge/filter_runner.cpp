#include "ui/bridge/filter_runner.h"

#include "app/session/chain_run.h"
#include "app/session/preview.h"

#include <QTimer>

#include <algorithm>
#include <cmath>

namespace tessera {

FilterRunner::FilterRunner(QObject *parent) : QObject(parent) {}

namespace {

constexpr int lateMs = 30;

bool covers(const Rectangle &outer, const Rectangle &inner) {
    return inner.x >= outer.x && inner.y >= outer.y && inner.x + inner.width <= outer.x + outer.width &&
           inner.y + inner.height <= outer.y + outer.height;
}

// An eighth more on every side, so that not every pixel of a drag starts a preview.
Rectangle widened(const Rectangle &visible, const Rectangle &picture) {
    const int dx = visible.width / 8, dy = visible.height / 8;
    const int left = std::max(visible.x - dx, 0), top = std::max(visible.y - dy, 0);
    return {left, top, std::min(visible.x + visible.width + dx, picture.width) - left,
            std::min(visible.y + visible.height + dy, picture.height) - top};
}

// The pixels of a reduced level that cover `region`.
Rectangle atLevel(const Rectangle &region, int level, const Image &picture) {
    const int cell = 1 << level;
    const int x = region.x / cell, y = region.y / cell;
    return {x, y, std::min(picture.width(), (region.x + region.width + cell - 1) / cell) - x,
            std::min(picture.height(), (region.y + region.height + cell - 1) / cell) - y};
}

} // namespace

std::uint64_t FilterRunner::start(FilterRequest request) {
    const std::uint64_t run = ++current_;
    running_ = true;
    wholeThere_ = false;
    previews_ = shown_ = 0;
    clock_.start();
    followUp_.cancel();
    request_ = request;
    ahead_ = request.visible;
    aheadLevel_ = request.source.levelForZoom(request.zoom);
    if (!request.preview)
        QTimer::singleShot(lateMs, this, [this, run] { previewLate(run); });
    thread_.submit(
        [this, run, request = std::move(request)](const RunControl &control) { this->run(request, run, control); });
    return run;
}

void FilterRunner::prepare(const EngineChooser &choose, const std::string &variant, const std::string &device) {
    if (preparedDevice_ == device)
        return;
    preparedDevice_ = device;
    preparing_.submit([choose, variant, device](const RunControl &) {
        try {
            choose(variant, device).engine->prepare(4); // for the whole in bands, and for what is seen of it
        } catch (const Error &) {                       // the first run will tell
        }
    });
}

void FilterRunner::cancel() {
    if (!running_)
        return;
    ++current_; // what the stopped run still reports is for nobody
    followUp_.cancel();
    thread_.cancel();
    finish(true);
}

void FilterRunner::waitUntilStopped() {
    followUp_.finish();
    thread_.finish();
}

void FilterRunner::look(const Rectangle &visible, double zoom) {
    if (!running_ || wholeThere_ || visible.empty())
        return;
    const int level = request_.source.levelForZoom(zoom);
    if (level >= aheadLevel_ && covers(ahead_, visible))
        return;
    const Rectangle wider = widened(visible, request_.source.picture()->view().bounds());
    if (request_.preview)
        return previewAhead(wider, zoom);
    request_.visible = wider; // the late preview, if it comes to that, is of here
    request_.zoom = zoom;
}

void FilterRunner::previewLate(std::uint64_t run) {
    if (!running_ || run != current_ || wholeThere_)
        return;
    request_.preview = true; // from here on it follows the view
    previewAhead(request_.visible, request_.zoom);
}

void FilterRunner::previewAhead(const Rectangle &region, double zoom) {
    ahead_ = region;
    aheadLevel_ = request_.source.levelForZoom(zoom);
    FilterRequest request = request_;
    request.visible = region;
    request.zoom = zoom;
    followUp_.submit(
        [this, request = std::move(request), run = current_, number = ++previews_](const RunControl &control) {
            try {
                runPreview(request, request.choose(request.variant, request.device), run, number, control);
            } catch (const std::exception &) {
                return; // the whole picture says what is wrong, or it was stopped
            }
        });
}

void FilterRunner::finish(bool cancelled) {
    running_ = false;
    emit finished(cancelled);
}

// Results of an older run may still be on their way when a newer one starts: they are dropped on arrival.
void FilterRunner::report(std::uint64_t run, std::function<void()> action) {
    postTo(this, [this, run, action = std::move(action)] {
        if (run == current_)
            action();
    });
}

void FilterRunner::run(const FilterRequest &request, std::uint64_t run, const RunControl &control) {
    try {
        const EngineChoice choice = request.choose(request.variant, request.device);
        if (request.preview)
            runPreview(request, choice, run, 0, control);
        runWhole(request, choice, run, control);
    } catch (const Error &error) {
        if (error.kind() == ErrorKind::Cancelled)
            return report(run, [this] { finish(true); });
        report(run, [this, message = messageFrom(error, filterRunTopic)] {
            emit failed(message);
            finish(false);
        });
    } catch (...) {
        report(run, [this, why = messageOfFailure()] {
            emit failed({Message::Kind::Error, tr("The filter could not be run: %1").arg(why.what),
                         tr("try a smaller picture or another device"), filterRunTopic});
            finish(false);
        });
    }
}

void FilterRunner::runWhole(const FilterRequest &request, const EngineChoice &choice, std::uint64_t run,
                            const RunControl &control) {
    auto result = std::make_shared<FilterResult>();
    Image filtered = filterPicture(*request.source.picture(), request.chain, choice, control, &result->times);
    result->picture.stack = PictureStack::build(std::make_shared<const Image>(std::move(filtered)), control);
    const SharedImage picture = result->picture.stack.picture();
    report(run, [this, result, chain = request.chain] {
        wholeThere_ = true;
        followUp_.cancel();
        emit resultReady(result, chain);
    });
    if (choice.engine->isLost())
        report(run, [this, device = QString::fromStdString(choice.engine->deviceName()),
                     why = inWindowTerms(result->times.note)] { emit deviceLost(device, why); });
    std::optional<ImageStatistics> statistics;
    if (request.statistics)
        statistics = computeStatistics(picture->view(), control);
    report(run, [this, statistics] {
        if (statistics)
            emit statisticsReady(*statistics);
        finish(false);
    });
}

void FilterRunner::runPreview(const FilterRequest &request, const EngineChoice &choice, std::uint64_t run,
                              std::uint64_t number, const RunControl &control) {
    const int level = request.source.levelForZoom(request.zoom);
    const Image &picture = request.source.level(level);
    const std::optional<Chain> chain = level == 0 ? request.chain : previewChain(request.chain, level);
    if (!chain)
        return;
    FilterPreview preview;
    preview.level = level;
    preview.number = number;
    preview.region = atLevel(request.visible, level, picture);
    if (preview.region.empty() || (level == 0 && preview.region == picture.view().bounds()))
        return;                                // the whole picture is no later than its preview would be
    const RunControl silent{control.stop, {}}; // progress is that of the whole
    preview.pixels = std::make_shared<const Image>(filterRegion(picture, preview.region, *chain, choice, silent));
    // A stretch of the value range needs the whole picture.
    preview.exact = level == 0 && std::none_of(chain->steps.begin(), chain->steps.end(), [](const FilterStep &step) {
                        return step.enabled && step.response == ResponseMode::Range;
                    });
    reportPreview(run, preview);
}

void FilterRunner::reportPreview(std::uint64_t run, const FilterPreview &preview) {
    report(run, [this, preview] {
        if (wholeThere_ || preview.number < shown_)
            return;
        shown_ = preview.number;
        emit previewReady(preview);
    });
}

} // namespace tessera
