#include "app/session/step_runner.h"

#include "app/engines/cpu/cpu_engine.h"
#include "app/session/chain_reach.h"
#include "app/session/thin_alpha.h"
#include "app/session/transfer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera {

namespace {

PixelFormat floats(int channels) { return {Depth::F32, channels}; }

Response engineResponse(ResponseMode mode) {
    return mode == ResponseMode::Absolute ? Response::Absolute
           : mode == ResponseMode::Signed ? Response::Signed
                                          : Response::Clamp;
}

// A part of the output, and whether every pixel of it has to be a sum of its own terms alone, whatever that costs.
struct Part {
    Rectangle region;
    bool direct = false;
};

// The CPU's without its transforms and sums of several passes.
Engine &directEngine() {
    static const std::shared_ptr<Engine> engine = [] {
        cpu::MethodCosts costs;
        costs.term = costs.fourierSample = std::numeric_limits<double>::infinity();
        return makeCpuEngine(ThreadPool::shared(), cpuInstructionSets().front(), costs);
    }();
    return *engine;
}

class StepRunner {
public:
    StepRunner(const ConstPixelView &current, const Rectangle &region, const StepPlan &plan, const ValueRange &range,
               EngineCalls &calls)
        : current_(current), region_(region), plan_(plan), range_(range), calls_(calls), control_(calls.control()),
          channels_(current.format.channels), alphaBit_(current.format.hasAlpha() ? 1u << (channels_ - 1) : 0u) {}

    void runPlain(const PixelView &target, LevelCounts *counts);
    void runPrepared(const PixelView &target);

private:
    void convolve(const ConstPixelView &source, std::size_t kernel, const Border &border, unsigned channels,
                  const Finish &finish, const Part &part, const PixelView &target, LevelCounts *counts = nullptr);
    Image combined(const ConstPixelView &source, const Border &border, unsigned channels, const Part &part);
    void prepare();
    Image combinedColours(const Part &part);
    Border preparedBorder() const;
    Image alphaPlane() const;
    Image averagedAlpha(const Part &part);
    Image filteredAlpha();
    void mendThinAlpha(Image &colours, Image &alpha);
    void mergeFilteredAlpha(Image &alpha, const PixelView &target);
    SampleMask openToRange() const;
    double rangeNoise() const;

    const ConstPixelView &current_;
    const Rectangle region_;
    const StepPlan &plan_;
    const ValueRange range_;
    EngineCalls &calls_;
    const RunControl &control_;
    const int channels_;
    const unsigned alphaBit_;
    Image prepared_, plane_; // colours and alpha, of the whole picture's size; only what is read is ever touched
    bool roundsLocally_ = true;
};

void StepRunner::convolve(const ConstPixelView &source, std::size_t kernel, const Border &border, unsigned channels,
                          const Finish &finish, const Part &part, const PixelView &target, LevelCounts *counts) {
    ConvolutionJob job;
    job.source = source;
    job.target = target;
    job.region = part.region;
    job.kernel = &plan_.kernels[kernel];
    job.border = border;
    job.finish = finish;
    job.channelMask = channels;
    job.counts = counts;
    if (part.direct)
        directEngine().convolve(job, {control_.stop, {}});
    else
        roundsLocally_ &= calls_.convolve(job);
}

// What the range of a stretched response must not depend on. Of the whole picture alone: of a part it is its own.
SampleMask StepRunner::openToRange() const {
    if (plan_.response != ResponseMode::Range || !range_.limited || !(region_ == current_.bounds()))
        return {};
    return reachedByStep(nonfiniteSamples(current_), plan_, current_.format, region_);
}

// What rounding may leave of sums that should all be the same: a few units in the last place of what goes into them,
// and their errors' random walk.
double StepRunner::rangeNoise() const {
    if (plan_.response != ResponseMode::Range)
        return 0;
    double noise = 0;
    for (std::size_t i = 0; i < plan_.kernels.size(); ++i)
        noise += plan_.kernels[i].magnitude() / std::fabs(plan_.divisors[i]) *
                 (8 + 2 * std::sqrt(double(plan_.kernels[i].taps.size())));
    return noise * 0x1p-24;
}

// The commonest case goes to the engine as it is: pixels of the picture's own depth in and out, no float copy.
void StepRunner::runPlain(const PixelView &target, LevelCounts *counts) {
    const Finish finish{float(plan_.divisors.front()), float(plan_.offset), engineResponse(plan_.response)};
    const bool toFloat = target.format.depth == Depth::F32;
    if (!toFloat && plan_.response != ResponseMode::Range) {
        convolve(current_, 0, plan_.border, plan_.channels, finish, {region_}, target, counts);
        return;
    }
    Image unrounded;
    if (!toFloat)
        unrounded = Image(region_.width, region_.height, floats(channels_));
    const PixelView values = toFloat ? target : unrounded.view();
    convolve(current_, 0, plan_.border, plan_.channels, finish, {region_}, values);
    calls_.addStretch(respond(plan_.response, range_, plan_.channels, values, control_, openToRange(), rangeNoise()));
    if (!toFloat)
        storeValues(values, range_.units, target, control_);
}

// The quotients of all kernels as one picture of the part's size, before the offset.
Image StepRunner::combined(const ConstPixelView &source, const Border &border, unsigned channels, const Part &part) {
    const PixelFormat format = floats(source.format.channels);
    Image result(part.region.width, part.region.height, format);
    Image more;
    for (std::size_t kernel = 0; kernel < plan_.kernels.size(); ++kernel) {
        const Finish finish{float(plan_.divisors[kernel]), 0.0f, Response::Clamp};
        if (kernel == 0) {
            convolve(source, kernel, border, channels, finish, part, result.view());
            startCombining(plan_.combine, result.view(), control_);
            continue;
        }
        if (more.empty())
            more = Image(part.region.width, part.region.height, format);
        convolve(source, kernel, border, channels, finish, part, more.view());
        addCombined(plan_.combine, more.view(), result.view(), control_);
    }
    return result;
}

// A constant border is a colour as the user sees it: it becomes what the prepared picture would hold there.
Border StepRunner::preparedBorder() const {
    Border border = plan_.border;
    if (border.mode == BorderMode::Constant && plan_.linear)
        border.constant = double(linearFromSrgb(float(border.constant) / range_.maximum()));
    return border;
}

// Of the whole picture's size, so that borders lie where they belong.
void StepRunner::prepare() {
    prepared_ = Image(current_.width, current_.height, floats(plan_.luma ? 1 : channels_));
    const Rectangle area = readArea(current_, region_, plan_, calls_);
    prepareColours(current_, plan_, range_, area, prepared_.view(), control_);
}

Image StepRunner::combinedColours(const Part &part) {
    if (!plan_.prepared())
        return combined(current_, plan_.border, plan_.channels, part);
    const unsigned colours = plan_.luma ? 1u : plan_.channels & ~alphaBit_;
    return combined(std::as_const(prepared_).view(), preparedBorder(), colours, part);
}

Image StepRunner::alphaPlane() const {
    Image plane(current_.width, current_.height, floats(1));
    const Rectangle area = readArea(current_, region_, plan_, calls_);
    extractAlpha(current_, area, plane.view().part(area), control_);
    return plane;
}

Image StepRunner::averagedAlpha(const Part &part) {
    Image alpha(part.region.width, part.region.height, floats(1));
    Border border = plan_.border;
    border.constant = double(range_.maximum()); // constant:V lies outside as an opaque colour
    const Finish average{float(plan_.kernels.front().sum()), 0.0f, Response::Clamp};
    convolve(std::as_const(plane_).view(), 0, border, 1u, average, part, alpha.view());
    return alpha;
}

// Alpha for the region, in stored units: averaged, filtered like a channel, or the picture's own; empty where it takes
// no part or is filtered together with the colours.
Image StepRunner::filteredAlpha() {
    if (plan_.alpha == AlphaPlan::Copied || !plan_.prepared())
        return {};
    if (plan_.alpha == AlphaPlan::OwnWeight) {
        Image alpha(region_.width, region_.height, floats(1));
        extractAlpha(current_, region_, alpha.view(), control_);
        return alpha;
    }
    plane_ = alphaPlane();
    if (plan_.alpha == AlphaPlan::Weighted)
        return averagedAlpha({region_});
    Image alpha = combined(std::as_const(plane_).view(), plan_.border, 1u, {region_});
    StepPlan plain = plan_;
    plain.linear = false;
    restoreColours(plain, range_, 1u, nullptr, alpha.view(), control_);
    return alpha;
}

// Before the colours are divided by it.
void StepRunner::mendThinAlpha(Image &colours, Image &alpha) {
    const ThinParts thin =
        findThinParts(plan_, std::as_const(alpha).view(), region_, range_.maximum(), std::as_const(plane_).view());
    const auto within = [&](const Rectangle &part) {
        return Rectangle{part.x - region_.x, part.y - region_.y, part.width, part.height};
    };
    for (const Rectangle &part : thin.none)
        for (int y = within(part).y, end = y + part.height; y < end; ++y)
            std::fill_n(alpha.view().row<float>(y) + within(part).x, part.width, 0.0f);
    for (const Rectangle &part : thin.some) {
        const Image exactColours = combinedColours({part, true});
        const Image exactAlpha = plan_.alpha == AlphaPlan::Weighted ? averagedAlpha({part, true}) : Image();
        replaceThin(plan_, range_.maximum(), exactColours.view(), exactAlpha.view(), colours.view().part(within(part)),
                    alpha.view().part(within(part)));
    }
}

void StepRunner::mergeFilteredAlpha(Image &alpha, const PixelView &target) {
    if (plan_.alpha == AlphaPlan::AsChannel && plan_.luma)
        respond(plan_.response, range_, 1u, alpha.view(), control_);
    if (plan_.alpha == AlphaPlan::AsChannel || plan_.replaceAlpha)
        mergeAlpha(alpha.view(), plan_.weighted(), range_, target, control_);
}

void StepRunner::runPrepared(const PixelView &target) {
    if (plan_.prepared())
        prepare();
    Image values = combinedColours({region_});
    Image alpha = filteredAlpha();
    if (plan_.weighted() && !roundsLocally_)
        mendThinAlpha(values, alpha);
    prepared_ = Image();
    plane_ = Image();
    const ConstPixelView weights = std::as_const(alpha).view();
    const unsigned restored = plan_.luma ? 1u : plan_.prepared() ? plan_.channels & ~alphaBit_ : plan_.channels;
    restoreColours(plan_, range_, restored, plan_.weighted() ? &weights : nullptr, values.view(), control_);

    Image unrounded;
    const bool toFloat = target.format.depth == Depth::F32;
    if (!toFloat)
        unrounded = Image(region_.width, region_.height, floats(channels_));
    const PixelView out = toFloat ? target : unrounded.view();
    if (plan_.luma) {
        calls_.addStretch(respond(plan_.response, range_, 1u, values.view(), control_, openToRange(), rangeNoise()));
        mergeLightness(current_, plan_, range_, region_, std::as_const(values).view(), out, control_);
        if (!alpha.empty())
            mergeFilteredAlpha(alpha, out);
    } else {
        mergeChannels(current_, region_, restored, std::as_const(values).view(), out, control_);
        if (!alpha.empty())
            mergeFilteredAlpha(alpha, out);
        calls_.addStretch(respond(plan_.response, range_, plan_.channels, out, control_, openToRange(), rangeNoise()));
    }
    if (!toFloat)
        storeValues(out, range_.units, target, control_);
}

} // namespace

Rectangle readArea(const ConstPixelView &current, const Rectangle &region, const StepPlan &plan,
                   const EngineCalls &calls) {
    if (region == current.bounds())
        return region;
    Rectangle read = neededArea(plan, region, current.width, current.height);
    ConvolutionJob job;
    job.source = current;
    job.region = region;
    job.border = plan.border;
    for (const ConvolutionKernel &kernel : plan.kernels) {
        job.kernel = &kernel;
        read = united(read, neededArea(plan, calls.computedArea(job), current.width, current.height));
    }
    return read;
}

void runStep(const ConstPixelView &current, const Rectangle &region, const StepPlan &plan, const ValueRange &range,
             const PixelView &target, EngineCalls &calls, LevelCounts *counts) {
    StepRunner runner(current, region, plan, range, calls);
    if (plan.plain())
        runner.runPlain(target, counts);
    else
        runner.runPrepared(target);
}

std::size_t convolutionsOf(const StepPlan &plan) {
    const std::size_t kernels = plan.kernels.size();
    if (plan.alpha == AlphaPlan::Weighted)
        return kernels + 1;
    return plan.alpha == AlphaPlan::AsChannel && plan.prepared() ? 2 * kernels : kernels;
}

} // namespace tessera
