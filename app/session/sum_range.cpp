#include "app/session/sum_range.h"

#include "app/engines/engine_support.h"
#include "app/image/sample_mask.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera {

namespace {

double withBorder(const StepPlan &plan, double incoming) {
    return plan.border.mode == BorderMode::Constant ? std::max(incoming, std::fabs(plan.border.constant)) : incoming;
}

} // namespace

double largestSum(const StepPlan &plan, double incoming, bool fromFloat) {
    double largest = 0;
    for (std::size_t i = 0; i < plan.kernels.size(); ++i) {
        const double scale = fromFloat ? sumScaleKept(plan.kernels[i], plan.divisors[i]) : 1.0;
        largest = std::max(largest, plan.kernels[i].magnitude() * scale * withBorder(plan, incoming));
    }
    return largest;
}

// Neither the magnitude of several kernels' results nor the largest of them is more than their sum.
double largestResult(const StepPlan &plan, double incoming) {
    double result = std::fabs(plan.offset);
    for (std::size_t i = 0; i < plan.kernels.size(); ++i)
        result += plan.kernels[i].magnitude() / std::fabs(plan.divisors[i]) * withBorder(plan, incoming);
    return plan.luma ? result + 2 * incoming : result; // the change of lightness is added to the colours that came in
}

std::string sumsBeyondFloats(const std::vector<StepPlan> &plans, PixelFormat format, bool limited) {
    if (format.depth == Depth::F32)
        return {};
    const double nominal = nominalMaximum(format.depth);
    double incoming = nominal;
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const bool fromFloat = i > 0 || plans[i].prepared();
        if (largestSum(plans[i], incoming, fromFloat) > double(std::numeric_limits<float>::max()))
            return "the taps are so large that sums can leave the range of 32-bit floats (3.4e38), and results are "
                   "wrong where they do; smaller taps would help";
        incoming = largestResult(plans[i], incoming);
        if (limited)
            incoming = std::min(incoming, nominal);
    }
    return {};
}

std::string valuesBeyondFloats(const Image &source, const Image &result) {
    if (nonfiniteSamples(result.view()).empty() || !nonfiniteSamples(source.view()).empty())
        return {};
    return "results left the range of 32-bit floats (3.4e38) and became infinite or NaN, as no value of the picture is";
}

} // namespace tessera
