#include "ui/bridge/filter_runner.h"

#include "app/session/preview.h"

#include <algorithm>
#include <cmath>

namespace tessera {

FilterRunner::FilterRunner(QObject *parent) : QObject(parent) {}

std::uint64_t FilterRunner::start(FilterRequest request) {
    const std::uint64_t run = ++current_;
    running_ = true;
    clock_.start();
    thread_.submit(
        [this, run, request = std::move(request)](const RunControl &control) { this->run(request, run, control); });
    return run;
}

void FilterRunner::cancel() {
    if (!running_)
        return;
    ++current_; // what the stopped run still reports is for nobody
    thread_.cancel();
    finish(true);
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
            runPreview(request, choice, run, control);
        auto result = std::make_shared<FilterResult>();
        Image filtered = runPipeline(*request.source.picture(), request.chain.steps, choice, request.chain.depth,
                                     control, &result->times);
        result->picture.stack = PictureStack::build(std::make_shared<const Image>(std::move(filtered)), control);
        const SharedImage picture = result->picture.stack.picture();
        report(run, [this, result, chain = request.chain] { emit resultReady(result, chain); });
        if (choice.engine->isLost())
            report(run, [this, device = QString::fromStdString(choice.engine->deviceName()),
                         why = QString::fromStdString(result->times.note)] { emit deviceLost(device, why); });
        const ImageStatistics statistics = computeStatistics(picture->view(), control);
        report(run, [this, statistics] {
            emit statisticsReady(statistics);
            finish(false);
        });
    } catch (const Error &error) {
        if (error.kind() == ErrorKind::Cancelled)
            return report(run, [this] { finish(true); });
        report(run, [this, message = messageFrom(error, QStringLiteral("filter"))] {
            emit failed(message);
            finish(false);
        });
    } catch (const std::exception &error) {
        report(run, [this, what = QString::fromUtf8(error.what())] {
            emit failed({Message::Kind::Error, tr("The filter could not be run: %1").arg(what),
                         tr("try a smaller picture or another device"), QStringLiteral("filter")});
            finish(false);
        });
    }
}

void FilterRunner::runPreview(const FilterRequest &request, const EngineChoice &choice, std::uint64_t run,
                              const RunControl &control) {
    const int level = request.source.levelForZoom(request.zoom);
    const Image &picture = request.source.level(level);
    const std::optional<Chain> chain = level == 0 ? request.chain : previewChain(request.chain, level);
    if (!chain)
        return;
    const int cell = 1 << level;
    Rectangle region{request.visible.x / cell, request.visible.y / cell, 0, 0};
    region.width = std::min(picture.width(), (request.visible.x + request.visible.width + cell - 1) / cell) - region.x;
    region.height =
        std::min(picture.height(), (request.visible.y + request.visible.height + cell - 1) / cell) - region.y;
    if (region.empty() || (level == 0 && region == picture.view().bounds()))
        return; // the whole picture is no later than its preview would be
    FilterPreview preview;
    preview.level = level;
    preview.region = region;
    preview.pixels =
        std::make_shared<const Image>(runPipelineRegion(picture, region, chain->steps, choice, chain->depth, control));
    // A stretch of the value range needs the whole picture.
    preview.exact = level == 0 && std::none_of(chain->steps.begin(), chain->steps.end(), [](const FilterStep &step) {
                        return step.enabled && step.response == ResponseMode::Range;
                    });
    report(run, [this, preview] { emit previewReady(preview); });
}

} // namespace tessera
