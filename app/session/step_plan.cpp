#include "app/session/step_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

namespace {

std::string pairText(int x, int y) { return std::to_string(x) + "," + std::to_string(y); }

double resolvedDivisor(const FilterStep &step, const ConvolutionKernel &kernel) {
    if (!step.divisor)
        return step.normalize ? kernel.normalized().effectiveDivisor() : kernel.effectiveDivisor();
    if (step.normalize)
        throw Error(ErrorKind::Usage,
                    "a divisor and normalize contradict each other: both set what the sum is divided by",
                    "leave one of them out");
    if (*step.divisor == 0.0 || !std::isfinite(*step.divisor))
        throw Error(ErrorKind::Usage, "the divisor must be a number other than 0", "leave it out, or ask for auto");
    return *step.divisor;
}

void anchorKernel(const FilterStep &step, ConvolutionKernel &kernel) {
    if (!step.anchor)
        return;
    const auto [x, y] = *step.anchor;
    if (x < 0 || y < 0 || x >= kernel.width || y >= kernel.height)
        throw Error(ErrorKind::Usage,
                    "the anchor " + pairText(x, y) + " is outside the kernel of " + std::to_string(kernel.width) + "x" +
                        std::to_string(kernel.height),
                    "anchors of this kernel run from 0,0 to " + pairText(kernel.width - 1, kernel.height - 1));
    kernel.anchorX = x;
    kernel.anchorY = y;
}

// Whether the taps add up to something that a mean can be taken by. Sums that are zero but for rounding count as zero.
bool hasWeight(const ConvolutionKernel &kernel) { return std::fabs(kernel.sum()) > 1e-9 * kernel.magnitude(); }

// Engines hold taps as float32.
void refuseHugeTaps(const ConvolutionKernel &kernel) {
    constexpr double largest = std::numeric_limits<float>::max();
    for (const double tap : kernel.taps)
        if (std::fabs(tap) > largest)
            throw Error(ErrorKind::Usage, "a kernel's taps must be of at most 3.4e38, the largest of 32-bit floats",
                        "divide them all by the same number");
}

void planKernels(const FilterStep &step, StepPlan &plan) {
    FilterProgram program = buildFilter(step.filter);
    plan.combine =
        program.kernels.size() == 1 && program.combine != Combine::Magnitude ? Combine::Single : program.combine;
    for (ConvolutionKernel &kernel : program.kernels) {
        refuseHugeTaps(kernel);
        anchorKernel(step, kernel);
        plan.divisors.push_back(resolvedDivisor(step, kernel));
        plan.kernels.push_back(step.flip ? kernel.rotated180() : std::move(kernel));
    }
    plan.offset = step.offset.value_or(plan.kernels.front().offset);
    if (!std::isfinite(plan.offset))
        throw Error(ErrorKind::Usage, "the offset must be a finite number");
}

// Bits of the picture's channels from bits r 1, g 2, b 4, a 8.
unsigned channelsOfMask(unsigned mask, PixelFormat format) {
    const unsigned colours = mask & ((1u << format.colourChannels()) - 1u);
    const unsigned alpha = format.hasAlpha() && (mask & 8u) != 0 ? 1u << (format.channels - 1) : 0u;
    return colours | alpha;
}

// Whether the pixels only move: then they take their alpha along, and the colours of transparent ones stay.
bool onlyMoves(const StepPlan &plan) {
    const std::vector<double> &taps = plan.kernels.front().taps;
    return plan.combine == Combine::Single && plan.offset == 0.0 &&
           std::ranges::count_if(taps, [](double tap) { return tap != 0.0; }) == 1 &&
           plan.kernels.front().sum() == plan.divisors.front();
}

AlphaMode resolvedAlpha(const FilterStep &step, const StepPlan &plan, bool alphaSelected) {
    if (step.alpha != AlphaMode::Automatic)
        return step.alpha;
    if (onlyMoves(plan))
        return AlphaMode::Premultiplied;
    if (std::ranges::none_of(plan.kernels, &ConvolutionKernel::hasNegativeTaps))
        return AlphaMode::Premultiplied;
    return alphaSelected ? AlphaMode::Independent : AlphaMode::Preserve;
}

void planChannels(const FilterStep &step, PixelFormat format, bool opaque, StepPlan &plan) {
    using Kind = ChannelSelection::Kind;
    const ChannelSelection &selection = step.channels;
    const bool byMask = selection.kind == Kind::Mask;
    if (byMask && (selection.mask & 15u) == 0)
        throw Error(ErrorKind::Usage, "no channel is selected", "name at least one of r, g, b and a");
    const bool alphaNamed = selection.kind == Kind::Rgba || (byMask && (selection.mask & 8u) != 0);
    if (alphaNamed && step.alpha == AlphaMode::Preserve)
        throw Error(ErrorKind::Usage, "alpha is among the channels to filter and is to be preserved: it can't be both",
                    "filter the colours only, or choose another treatment of alpha");

    plan.luma = selection.kind == Kind::Luma && format.colourChannels() == 3;
    const unsigned colourBits = (1u << format.colourChannels()) - 1u;
    const unsigned alphaBit = format.hasAlpha() ? 1u << (format.channels - 1) : 0u;
    const unsigned selected = byMask ? channelsOfMask(selection.mask, format) : colourBits;
    plan.channels = selected & colourBits;
    if (byMask && selected == 0)
        throw Error(ErrorKind::Input, "the picture has none of the channels named",
                    format.colourChannels() == 1 ? "in a grey picture r is the grey" : "name some of r, g and b");
    if (alphaBit == 0)
        return;

    const AlphaMode mode = resolvedAlpha(step, plan, alphaNamed);
    const bool alphaFiltered = byMask ? alphaNamed : alphaNamed || mode != AlphaMode::Preserve;
    if (step.alpha == AlphaMode::Automatic && plan.channels != 0 && onlyMoves(plan)) {
        if (opaque || !alphaFiltered)
            return;
        plan.alpha = AlphaPlan::Moved;
        plan.channels |= alphaBit;
    } else if (mode == AlphaMode::Premultiplied && plan.channels != 0) {
        const bool averaged = plan.combine == Combine::Single && hasWeight(plan.kernels.front());
        plan.alpha = opaque ? AlphaPlan::Copied : averaged ? AlphaPlan::Weighted : AlphaPlan::OwnWeight;
        plan.replaceAlpha = plan.alpha == AlphaPlan::Weighted && alphaFiltered;
    } else if (alphaFiltered && mode != AlphaMode::Preserve) {
        plan.alpha = AlphaPlan::AsChannel;
        plan.channels |= alphaBit;
    }
}

// Alpha that moves is no value to answer to, and none that the range of colours is measured by.
void planResponse(PixelFormat format, StepPlan &plan) {
    const unsigned colours = plan.channels & ((1u << format.colourChannels()) - 1u);
    const bool coloursAlone = plan.alpha == AlphaPlan::Moved || plan.response == ResponseMode::Range;
    plan.responding = coloursAlone && colours != 0 ? colours : plan.channels;
}

struct Interval {
    int first = 0, last = -1;
};

// The smallest interval of [0, size) that holds what the outputs [start, start + count) read along one axis.
Interval readInterval(BorderMode mode, int start, int count, int taps, int anchor, int size) {
    Interval interval{size, -1};
    for (int i = start - anchor; i < start + count + taps - 1 - anchor; ++i) {
        const int index = borderIndex(mode, i, size);
        if (index < 0)
            continue;
        interval.first = std::min(interval.first, index);
        interval.last = std::max(interval.last, index);
    }
    return interval;
}

} // namespace

StepPlan planStep(const FilterStep &step, PixelFormat format, bool opaque) {
    StepPlan plan;
    planKernels(step, plan);
    plan.border = step.border;
    plan.response = step.response;
    plan.linear = step.linear && format.depth != Depth::F32;
    planChannels(step, format, opaque, plan);
    planResponse(format, plan);
    return plan;
}

Rectangle neededArea(const StepPlan &plan, const Rectangle &region, int width, int height) {
    // The pixel itself is always read: channels that are not filtered are copied.
    int left = region.x, top = region.y, right = region.x + region.width, bottom = region.y + region.height;
    for (const ConvolutionKernel &kernel : plan.kernels) {
        const Interval columns =
            readInterval(plan.border.mode, region.x, region.width, kernel.width, kernel.anchorX, width);
        const Interval rows =
            readInterval(plan.border.mode, region.y, region.height, kernel.height, kernel.anchorY, height);
        left = std::min(left, columns.first);
        top = std::min(top, rows.first);
        right = std::max(right, columns.last + 1);
        bottom = std::max(bottom, rows.last + 1);
    }
    left = std::max(left, 0);
    top = std::max(top, 0);
    return {left, top, std::min(right, width) - left, std::min(bottom, height) - top};
}

void checkSteps(std::span<const FilterStep> steps) {
    for (const FilterStep &step : steps)
        if (step.enabled)
            planStep(step, {Depth::U8, 4}, false);
}

} // namespace tessera
