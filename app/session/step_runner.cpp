#include "app/session/step_runner.h"

#include "app/engines/cpu/cpu_engine.h"
#include "app/session/step_work.h"
#include "app/session/thin_alpha.h"
#include "app/session/transfer.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tessera {

namespace {

Response engineResponse(ResponseMode mode) {
    return mode == ResponseMode::Absolute ? Response::Absolute
           : mode == ResponseMode::Signed ? Response::Signed
                                          : Response::Clamp;
}

// The CPU's without its transforms and sums of several passes.
Engine &directEngine() {
    static const std::shared_ptr<Engine> engine = [] {
        cpu::MethodCosts costs;
        costs.term = costs.fourierSample = std::numeric_limits<double>::infinity();
        return makeCpuEngine(ThreadPool::shared(), cpuInstructionSets().front(), costs);
    }();
    return *engine;
}

} // namespace

void StepWork::convolve(const ConstPixelView &source, std::size_t kernel, const Border &border, unsigned channels,
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
        calls_.addBeside(directEngine().convolve(job, {control_.stop, {}}),
                         "where alpha is thin by each pixel's own terms, on the CPU");
    else
        roundsLocally_ &= calls_.convolve(job);
}

void StepWork::fillPlain(const Around &around, const PixelView &values) {
    const double back = around.stay ? 0.0 : double(around.centre) * responseToOne(plan_, 0);
    const Finish finish{float(plan_.divisors.front()), float(plan_.offset + back), engineResponse(plan_.response)};
    if (around.centre == 0.0f)
        return convolve(current_, 0, plan_.border, plan_.channels, finish, {region_}, values);
    const Image source = prepared(plan_, around.centre);
    convolve(source.view(), 0, preparedBorder(around.centre), plan_.channels, finish, {region_}, values);
    // Channels that are not filtered came from what stands around the centre.
    mergeChannels(current_, region_, plan_.channels, std::as_const(values), values, control_);
}

// The commonest case goes to the engine as it is: pixels of the picture's own depth in and out, no float copy.
void StepWork::runPlain(const PixelView &target, LevelCounts *counts) {
    const Finish finish{float(plan_.divisors.front()), float(plan_.offset), engineResponse(plan_.response)};
    const bool toFloat = target.format.depth == Depth::F32;
    const bool alike = plan_.responding == plan_.channels || plan_.response != ResponseMode::Signed;
    if (!toFloat && plan_.response != ResponseMode::Range && alike) {
        convolve(current_, 0, plan_.border, plan_.channels, finish, {region_}, target, counts);
        return;
    }
    Image unrounded;
    if (!toFloat)
        unrounded = Image(region_.width, region_.height, floatFormat(channels_));
    const PixelView values = toFloat ? target : unrounded.view();
    answer(plan_.responding, {}, [&](const Around &around) {
        fillPlain(around, values);
        return values;
    });
    respond(ResponseMode::Clamp, range_, plan_.channels & ~plan_.responding, values, control_);
    if (!toFloat)
        storeValues(values, range_.units, target, control_);
}

// The quotients of all kernels as one picture of the part's size, before the offset. `source` stands around the centre;
// they do not.
Image StepWork::combined(const ConstPixelView &source, const Border &border, unsigned channels, const Part &part,
                         float centre) {
    const PixelFormat format = floatFormat(source.format.channels);
    Image result(part.region.width, part.region.height, format);
    Image more;
    for (std::size_t kernel = 0; kernel < plan_.kernels.size(); ++kernel) {
        const Finish finish{float(plan_.divisors[kernel]), float(double(centre) * responseToOne(plan_, kernel)),
                            Response::Clamp};
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
Border StepWork::preparedBorder(float centre) const {
    Border border = plan_.border;
    if (border.mode == BorderMode::Constant && plan_.linear)
        border.constant = double(linearFromSrgb(float(border.constant) / range_.maximum()));
    if (centre == 0.0f || (border.mode == BorderMode::Zero && plan_.weighted())) // outside is transparent then
        return border;
    if (border.mode == BorderMode::Zero)
        border = {BorderMode::Constant, -double(centre)};
    else if (border.mode == BorderMode::Constant)
        border.constant -= double(centre);
    return border;
}

// Of the whole picture's size, so that borders lie where they belong; only the part that is read is ever touched.
Image StepWork::prepared(const StepPlan &plan, float centre) const {
    Image result(current_.width, current_.height, floatFormat(plan.luma ? 1 : channels_));
    const Rectangle area = readArea(current_, region_, plan_, calls_);
    if (plan.prepared())
        prepareColours(current_, plan, range_, area, result.view(), control_, centre);
    else
        subtractCentre(current_, area, centre, result.view(), control_);
    return result;
}

void StepWork::prepare(const Around &around) {
    around_ = around;
    prepared_ = plan_.prepared() || around.centre != 0.0f ? prepared(plan_, around.centre) : Image();
}

Image StepWork::combinedColours(const Part &part) {
    const unsigned colours = plan_.channels & ~alphaBit_;
    const unsigned filtered = plan_.luma ? 1u : plan_.prepared() || plan_.alphaApart() ? colours : plan_.channels;
    if (prepared_.empty())
        return combined(current_, plan_.border, filtered, part);
    // What colours are weighed by comes in the way of the centre, which has to wait until they are divided by it.
    return combined(std::as_const(prepared_).view(), preparedBorder(around_.centre), filtered, part,
                    plan_.weighted() || around_.stay ? 0.0f : around_.centre);
}

Image StepWork::alphaPlane() const {
    Image plane(current_.width, current_.height, floatFormat(1));
    const Rectangle area = readArea(current_, region_, plan_, calls_);
    extractAlpha(current_, area, plane.view().part(area), control_);
    return plane;
}

Image StepWork::ownAlpha(const Rectangle &area) const {
    Image alpha(area.width, area.height, floatFormat(1));
    extractAlpha(current_, area, alpha.view(), control_);
    return alpha;
}

Image StepWork::averagedAlpha(const Part &part) {
    Image alpha(part.region.width, part.region.height, floatFormat(1));
    Border border = plan_.border;
    border.constant = double(range_.maximum()); // constant:V lies outside as an opaque colour
    const Finish average{float(plan_.kernels.front().sum()), 0.0f, Response::Clamp};
    convolve(std::as_const(plane_).view(), 0, border, 1u, average, part, alpha.view());
    return alpha;
}

// Alpha for the region, in stored units: averaged, filtered like a channel, or the picture's own; empty where it takes
// no part or is filtered together with the colours.
Image StepWork::filteredAlpha() {
    if (plan_.alpha == AlphaPlan::Copied || !(plan_.prepared() || plan_.alphaApart()))
        return {};
    if (plan_.alpha == AlphaPlan::OwnWeight)
        return ownAlpha(region_);
    Image plane = alphaPlane();
    if (plan_.alpha == AlphaPlan::Weighted) {
        plane_ = std::move(plane); // what is thin is averaged once more
        return averagedAlpha({region_});
    }
    Border border = plan_.border;
    if (plan_.alpha == AlphaPlan::Moved)
        border.constant = double(range_.maximum()); // as above
    Image alpha = combined(std::as_const(plane).view(), border, 1u, {region_});
    StepPlan plain = plan_;
    plain.linear = false;
    restoreColours(plain, range_, 1u, nullptr, alpha.view(), control_);
    return alpha;
}

// Before the colours are divided by it.
void StepWork::mendThinAlpha(Image &colours, Image &alpha) {
    const ThinParts thin = findThinParts(plan_, std::as_const(alpha).view(), region_, range_.maximum(),
                                         std::as_const(plane_).view(), control_);
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

void StepWork::mergeFilteredAlpha(Image &alpha, const PixelView &target) {
    if (plan_.alpha == AlphaPlan::AsChannel && plan_.luma)
        respond((plan_.responding & alphaBit_) != 0 ? plan_.response : ResponseMode::Clamp, range_, 1u, alpha.view(),
                control_);
    if (plan_.filtersAlpha() || plan_.replaceAlpha)
        mergeAlpha(alpha.view(), plan_.weighted() || (plan_.alpha == AlphaPlan::Moved && range_.limited), range_,
                   target, control_);
}

// Fills `values` with the colours, or the lightness, as they are stored.
void StepWork::fillPrepared(const Around &around, unsigned restored, Image &alpha, Image &values) {
    values = Image(); // first, so that there is never one too many
    prepare(around);
    values = combinedColours({region_});
    if (plan_.weighted() && !roundsLocally_)
        mendThinAlpha(values, alpha);
    prepared_ = Image();
    const ConstPixelView weights = std::as_const(alpha).view();
    restoreColours(plan_, range_, restored, plan_.weighted() ? &weights : nullptr, values.view(), control_);
    if (plan_.weighted() && around.centre != 0.0f)
        leaveCentre(float(double(around.centre) * responseToOne(plan_, 0)), around.stay, restored, weights,
                    values.view(), control_);
}

void StepWork::runPrepared(const PixelView &target) {
    Image alpha = filteredAlpha();
    const bool apart = plan_.prepared() || plan_.alphaApart();
    const unsigned restored = plan_.luma ? 1u : apart ? plan_.channels & ~alphaBit_ : plan_.channels;
    const bool toFloat = target.format.depth == Depth::F32;
    Image values, unrounded;
    const auto out = [&] {
        if (!toFloat && unrounded.empty())
            unrounded = Image(region_.width, region_.height, floatFormat(channels_));
        return toFloat ? target : unrounded.view();
    };
    const auto fill = [&](const Around &around) {
        fillPrepared(around, restored, alpha, values);
        return values.view();
    };
    const auto fillAndMerge = [&](const Around &around) {
        fillPrepared(around, restored, alpha, values);
        mergeChannels(current_, region_, restored, std::as_const(values).view(), out(), control_);
        if (!alpha.empty())
            mergeFilteredAlpha(alpha, out());
        return out();
    };
    if (plan_.luma) {
        answer(1u, std::as_const(alpha).view(), fill);
        mergeLightness(current_, plan_, range_, region_, std::as_const(values).view(), out(), control_);
        if (!alpha.empty())
            mergeFilteredAlpha(alpha, out());
    } else {
        answer(plan_.responding, plan_.weighted() ? std::as_const(alpha).view() : ConstPixelView(), fillAndMerge);
        respond(ResponseMode::Clamp, range_, plan_.channels & ~plan_.responding, out(), control_);
    }
    if (!toFloat)
        storeValues(out(), range_.units, target, control_);
}

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
             const PixelView &target, EngineCalls &calls, const SampleMask &open, LevelCounts *counts) {
    StepWork work(current, region, plan, range, calls, open);
    if (plan.plain())
        work.runPlain(target, counts);
    else
        work.runPrepared(target);
}

std::size_t convolutionsOf(const StepPlan &plan) {
    const std::size_t kernels = plan.kernels.size();
    if (plan.alpha == AlphaPlan::Weighted)
        return kernels + 1;
    return plan.filtersAlpha() && (plan.prepared() || plan.alphaApart()) ? 2 * kernels : kernels;
}

} // namespace tessera
