#include "app/session/pipeline.h"

#include "app/session/bands.h"
#include "app/session/chain_reach.h"
#include "app/session/step_runner.h"
#include "app/session/sum_range.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace tessera {

Depth outputDepth(OutputDepth asked, Depth picture) {
    switch (asked) {
    case OutputDepth::U8:
        return Depth::U8;
    case OutputDepth::U16:
        return Depth::U16;
    case OutputDepth::F32:
        return Depth::F32;
    case OutputDepth::Keep:
        break;
    }
    return picture;
}

namespace {

// Whether a picture is opaque counts for the whole of it, never for a part: else a part would come out differently.
class Opacity {
public:
    // `known`: from elsewhere, where `picture` is a part of the whole.
    Opacity(const ConstPixelView &picture, const RunControl &control, std::optional<bool> known)
        : picture_(picture), control_(control), opaque_(known) {}

    StepPlan plan(const FilterStep &step) {
        StepPlan result = planStep(step, picture_.format, false);
        if (result.dependsOnOpacity() && !lost_ && known())
            result = planStep(step, picture_.format, true);
        if (result.alpha == AlphaPlan::AsChannel)
            lost_ = true;
        return result;
    }

private:
    bool known() {
        if (!opaque_)
            opaque_ = isOpaque(picture_, control_);
        return *opaque_;
    }

    const ConstPixelView picture_;
    const RunControl &control_;
    std::optional<bool> opaque_; // of the source; found when first needed, as it costs a pass
    bool lost_ = false;          // a step so far may have changed alpha
};

std::vector<StepPlan> planChain(const ConstPixelView &picture, std::span<const FilterStep> steps,
                                const RunControl &control, std::optional<bool> opaque) {
    Opacity opacity(picture, control, opaque);
    std::vector<StepPlan> plans;
    for (const FilterStep &step : steps)
        if (step.enabled)
            plans.push_back(opacity.plan(step));
    return plans;
}

// What each step must compute so that the last one can compute `region`.
std::vector<Rectangle> planRegions(const ConstPixelView &source, const std::vector<StepPlan> &plans,
                                   const Rectangle &region, const EngineCalls &calls) {
    std::vector<Rectangle> regions(plans.size());
    Rectangle wanted = region;
    for (std::size_t i = plans.size(); i-- > 0;) {
        regions[i] = wanted;
        wanted = readArea(source, wanted, plans[i], calls);
    }
    return regions;
}

void checkRegion(const Image &source, const Rectangle &region) {
    if (source.empty())
        throw Error(ErrorKind::Internal, "there is no picture to filter");
    if (region.empty() || region.x < 0 || region.y < 0 || region.x > source.width() - region.width ||
        region.y > source.height() - region.height)
        throw Error(ErrorKind::Internal, "the region to filter is not part of the picture");
}

// What engines may differ in on the way through a chain. Once values are limited, it shows no more: a range that a
// later step measures would be another with each engine.
class OpenToRanges {
public:
    OpenToRanges(const ConstPixelView &source, const std::vector<StepPlan> &plans, const Rectangle &region,
                 const ValueRange &range)
        : format_(source.format), bounds_(source.bounds()) {
        const bool stretches =
            std::ranges::any_of(plans, [](const StepPlan &plan) { return plan.response == ResponseMode::Range; });
        if (stretches && plans.size() > 1 && range.limited && region == bounds_)
            samples_ = nonfiniteSamples(source);
    }

    const SampleMask &samples() const { return samples_; }
    void pass(const StepPlan &plan) {
        if (!samples_.empty())
            samples_ = reachedByStep(samples_, plan, format_, bounds_);
    }

private:
    const PixelFormat format_;
    const Rectangle bounds_;
    SampleMask samples_;
};

// Runs the chain; the last step writes into `result`, which has the region's size and the depth asked for.
void runChain(const ConstPixelView &source, const std::vector<StepPlan> &plans, const Rectangle &region,
              const ValueRange &range, const PixelView &result, EngineCalls &calls, LevelCounts *counts) {
    const std::vector<Rectangle> regions = planRegions(source, plans, region, calls);
    const PixelFormat floats{Depth::F32, source.format.channels};
    ConstPixelView current = source;
    Image kept;
    OpenToRanges open(source, plans, region, range);
    for (std::size_t i = 0; i + 1 < plans.size(); ++i) {
        // Of the whole picture's size, so that borders lie where they belong; memory outside the region stays
        // untouched.
        Image next(source.width, source.height, floats);
        runStep(current, regions[i], plans[i], range, next.view().part(regions[i]), calls, open.samples());
        open.pass(plans[i]);
        kept = std::move(next);
        current = std::as_const(kept).view();
    }
    const StepPlan &last = plans.back();
    if (result.format.depth == range.units) {
        runStep(current, region, last, range, result, calls, open.samples(), counts);
    } else if (result.format.depth == Depth::F32) {
        runStep(current, region, last, range, result, calls, open.samples());
        storeValues(result, range.units, result, calls.control());
    } else {
        Image unscaled(region.width, region.height, floats);
        runStep(current, region, last, range, unscaled.view(), calls, open.samples());
        storeValues(std::as_const(unscaled).view(), range.units, result, calls.control());
    }
}

bool hasIgnoredResponse(const std::vector<StepPlan> &plans, const ValueRange &range) {
    for (const StepPlan &plan : plans)
        if (!range.limited && plan.response != ResponseMode::Clamp)
            return true;
    return false;
}

} // namespace

namespace {

Image runRegion(const Image &source, const Rectangle &region, std::span<const FilterStep> steps,
                const EngineChoice &choice, OutputDepth depth, const std::optional<BandPlace> &place,
                const RunControl &control, PipelineTimes *times, LevelCounts *counts = nullptr) {
    const auto start = std::chrono::steady_clock::now();
    checkRegion(source, region);
    control.checkpoint();
    const std::vector<StepPlan> plans =
        planChain(source.view(), steps, control, place ? std::optional(place->opaque) : std::nullopt);
    const Depth target = outputDepth(depth, source.format().depth);
    const ValueRange range{source.format().depth, target != Depth::F32};
    Image result(region.width, region.height, {target, source.format().channels});
    result.metadata = source.metadata;

    std::size_t expected = 0;
    for (const StepPlan &plan : plans)
        expected += convolutionsOf(plan);
    const PictureRows rows = place ? PictureRows{place->firstRow, place->pictureHeight} : PictureRows();
    EngineCalls calls(choice, control, expected, rows);
    if (plans.empty())
        storeValues(source.view().part(region), range.units, result.view(), control);
    else
        runChain(source.view(), plans, region, range, result.view(), calls, counts);
    if (hasIgnoredResponse(plans, range))
        calls.addNote("the response is for integer output; float values stay as they are");
    calls.addNote(sumsBeyondFloats(plans, source.format(), range.limited));
    control.report(1.0);
    if (times != nullptr) {
        *times = calls.times();
        times->totalMs = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }
    return result;
}

} // namespace

Image runPipeline(const Image &source, std::span<const FilterStep> steps, const EngineChoice &choice, OutputDepth depth,
                  const RunControl &control, PipelineTimes *times, LevelCounts *counts) {
    return runRegion(source, source.view().bounds(), steps, choice, depth, std::nullopt, control, times, counts);
}

Image runPipelineRegion(const Image &source, const Rectangle &region, std::span<const FilterStep> steps,
                        const EngineChoice &choice, OutputDepth depth, const RunControl &control,
                        PipelineTimes *times) {
    return runRegion(source, region, steps, choice, depth, std::nullopt, control, times);
}

// ---- bands (bands.h) ----

namespace {

// How many rows above or below a row an engine computes along with it.
int rowsAlong(const StepPlan &plan, const BandPicture &picture, const EngineCalls &calls) {
    int most = 0;
    ConvolutionJob job;
    job.source.width = picture.width;
    job.source.height = picture.height;
    job.source.format = picture.format;
    job.region = {0, 0, picture.width, 1};
    job.border = plan.border;
    for (const ConvolutionKernel &kernel : plan.kernels) {
        job.kernel = &kernel;
        most = std::max(most, calls.computedArea(job).height - 1);
    }
    return most;
}

} // namespace

std::optional<BandReach> bandReach(std::span<const FilterStep> steps, const BandPicture &picture,
                                   const EngineChoice &choice) {
    BandReach reach;
    const RunControl control;
    const EngineCalls calls(choice, control, 1);
    int stepsWithRows = 0;
    for (const FilterStep &step : steps) {
        if (!step.enabled)
            continue;
        const StepPlan plan = planStep(step, picture.format, false);
        if (plan.response == ResponseMode::Range)
            return std::nullopt;
        int rows = 0; // on either side alike: a border that folds reaches as far down as the kernel does up
        for (const ConvolutionKernel &kernel : plan.kernels)
            rows = std::max({rows, kernel.anchorY, kernel.height - 1 - kernel.anchorY});
        const bool wraps = rows > 0 && plan.border.mode == BorderMode::Wrap;
        if (rows > 0 && reach.rows > 0 && wraps != reach.wraps)
            return std::nullopt;
        reach.wraps |= wraps;
        reach.rows += rows;
        stepsWithRows += rows > 0 ? 1 : 0;
        reach.rowsAlong += rowsAlong(plan, picture, calls);
        reach.needsOpacity |= plan.dependsOnOpacity();
    }
    // Rows of the other end would be computed along with others than at their own place.
    reach.canBeExact = !(reach.wraps && reach.rowsAlong > 0 && stepsWithRows > 1);
    return reach;
}

Image runPipelineBand(const Image &band, const Rectangle &rows, std::span<const FilterStep> steps,
                      const EngineChoice &choice, OutputDepth depth, const BandPlace &place, const RunControl &control,
                      PipelineTimes *times) {
    return runRegion(band, rows, steps, choice, depth, place, control, times);
}

bool isOpaqueBand(const ConstPixelView &rows) { return isOpaque(rows, {}); }

Image convertDepth(const Image &source, Depth depth) {
    if (source.empty())
        return {};
    Image result(source.width(), source.height(), {depth, source.format().channels});
    result.metadata = source.metadata;
    storeValues(source.view(), source.format().depth, result.view(), {});
    return result;
}

} // namespace tessera
