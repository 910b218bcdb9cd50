#include "app/commands/batch/verification_bound.h"

#include "app/commands/batch/batch_file.h"
#include "app/session/sum_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

namespace {

constexpr double unit = 0x1p-24; // of rounding to float32

double gainOf(const ConvolutionKernel &kernel, double divisor) { return kernel.magnitude() / std::fabs(divisor); }

// The values that flow through the chain and what is wrong with them.
struct Flow {
    double magnitude = 0;
    VerificationBound error;
    bool mayOverflow = false; // a sum can leave float32's range: no bound holds then
};

Flow after(const StepPlan &plan, const Flow &before, bool fromFloat) {
    const double border = plan.border.mode == BorderMode::Constant ? std::fabs(plan.border.constant) : 0.0;
    const double incoming = std::max(before.magnitude, border);
    Flow flow;
    flow.mayOverflow = before.mayOverflow;
    flow.mayOverflow |= largestSum(plan, before.magnitude, fromFloat) > double(std::numeric_limits<float>::max());
    flow.magnitude = largestResult(plan, before.magnitude);
    // Neither the magnitude of several kernels' results nor the largest of them errs by more than their sum.
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
        const double gain = gainOf(plan.kernels[i], plan.divisors[i]);
        const double terms = double(plan.kernels[i].taps.size() + 3);
        flow.error.largest += gain * (before.error.largest + incoming * terms * unit);
        flow.error.typical += gain * (before.error.typical + incoming * std::sqrt(terms) * unit);
        // The least floats are the same distance apart, whatever their size.
        const double least = terms * double(std::numeric_limits<float>::denorm_min());
        const double ofLeast = least * ((1 + incoming) / std::fabs(plan.divisors[i]) + 2 * gain);
        flow.error.largest += ofLeast;
        flow.error.typical += ofLeast;
    }
    if (plan.luma) { // the change of lightness is added to the colours that came in
        flow.error.largest += 2 * before.error.largest;
        flow.error.typical += 2 * before.error.typical;
    }
    flow.error.largest += flow.magnitude * unit;
    flow.error.typical += flow.magnitude * unit;
    return flow;
}

} // namespace

bool canThinAlpha(std::span<const FilterStep> steps, PixelFormat source) {
    return std::ranges::any_of(steps, [&](const FilterStep &step) {
        if (!step.enabled || !source.hasAlpha())
            return false;
        const StepPlan plan = planStep(step, source, false);
        return plan.weighted() && std::ranges::any_of(plan.kernels, [](const ConvolutionKernel &kernel) {
                   return std::ranges::any_of(kernel.taps, [](double tap) { return tap < 0; });
               });
    });
}

VerificationBound boundOf(std::span<const FilterStep> steps, PixelFormat source, double largest, OutputDepth depth,
                          double stretch) {
    const Depth output = outputDepth(depth, source.depth);
    const double nominal = nominalMaximum(source.depth);
    Flow flow{largest, {}, false};
    bool fromFloat = source.depth == Depth::F32;
    for (const FilterStep &step : steps) {
        if (!step.enabled)
            continue;
        const StepPlan plan = planStep(step, source, true);
        flow = after(plan, flow, fromFloat || plan.prepared());
        fromFloat = true;         // between the steps of a chain
        if (output != Depth::F32) // limited to the picture's range after each step
            flow.magnitude = std::min(flow.magnitude, nominal);
    }
    if (flow.mayOverflow) // then only a result that is close is right
        return {0, 0, true};
    const double scale = nominalMaximum(output) / nominal;
    // Below its smallest normal number a float rounds to steps that do not shrink any more.
    const double step = flow.error.largest > 0 ? double(std::numeric_limits<float>::min()) : 0.0;
    const double byAlpha = canThinAlpha(steps, source) ? 1 / thinAlpha : 1.0;
    const double byStretch = stretch > 1.0 ? 3 * stretch : 1.0; // both ends of what is stretched are off by as much
    VerificationBound bound;
    bound.ofSums = flow.error.largest * scale + step;
    bound.ofAlpha = flow.error.largest * byAlpha * scale + step;
    bound.largest = flow.error.largest * byAlpha * byStretch * scale + step;
    bound.typical = flow.error.typical * byAlpha * byStretch * scale + step;
    return bound;
}

} // namespace tessera
