#include "app/session/chain_reach.h"

#include "app/engines/reach.h"

#include <algorithm>

namespace tessera {

namespace {

// What the result's depth makes of values that are open before.
OpenSamples::Values valuesLeft(const std::vector<StepPlan> &plans, PixelFormat format, Depth output) {
    using enum OpenSamples::Values;
    if (output == Depth::F32)
        return format.hasAlpha() ? OrEnds : NotFinite; // alpha stays in its range
    // Between steps values are limited, and so may be any that the next one makes of 0 or the maximum.
    return plans.size() == 1 && !plans.front().prepared() ? OrEnds : Any;
}

} // namespace

void addMarks(const SampleMask &more, SampleMask &mask) {
    if (mask.empty())
        mask = more;
    else if (!more.empty())
        std::ranges::transform(mask.pixels, more.pixels, mask.pixels.begin(), std::bit_or<>());
}

void spreadMarks(unsigned from, unsigned to, SampleMask &mask) {
    for (std::uint8_t &bits : mask.pixels)
        if ((bits & from) != 0)
            bits = std::uint8_t(bits | to);
}

SampleMask reachedByStep(const SampleMask &samples, const StepPlan &plan, PixelFormat format, const Rectangle &region) {
    SampleMask before = samples;
    const unsigned every = (1u << format.channels) - 1u;
    const unsigned colours = (1u << format.colourChannels()) - 1u;
    if (plan.weighted())
        spreadMarks(every, every, before);
    else if (plan.luma)
        spreadMarks(colours, colours, before);
    const unsigned filtered = plan.weighted() ? every : plan.luma ? plan.channels | colours : plan.channels;
    SampleMask reached;
    for (const ConvolutionKernel &kernel : plan.kernels)
        addMarks(reachedOutputs(before, squareOf(kernel), plan.border.mode, region), reached);
    // Channels that are not filtered, and what a change of lightness is added to, are the picture's own.
    const SampleMask own = before.part(region);
    for (std::size_t i = 0; i < reached.pixels.size(); ++i)
        reached.pixels[i] = std::uint8_t((reached.pixels[i] & filtered) | own.pixels[i]);
    return reached;
}

OpenSamples openSamples(const ConstPixelView &picture, std::span<const FilterStep> steps, OutputDepth depth,
                        bool opaque) {
    OpenSamples open;
    open.samples = nonfiniteSamples(picture);
    if (open.samples.empty())
        return open;
    std::vector<StepPlan> plans;
    for (const FilterStep &step : steps) {
        if (!step.enabled)
            continue;
        plans.push_back(planStep(step, picture.format, opaque));
        opaque = opaque && plans.back().alpha != AlphaPlan::AsChannel;
        open.samples = reachedByStep(open.samples, plans.back(), picture.format, picture.bounds());
    }
    open.values = valuesLeft(plans, picture.format, outputDepth(depth, picture.format.depth));
    if (plans.empty())
        open.samples = {}; // nothing but a conversion
    return open;
}

} // namespace tessera
