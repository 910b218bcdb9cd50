// The launch of the `separable` variant for one source type. Each type's instances are a file of their own, so that
// they compile side by side.
#pragma once

#include "gpu/kernels/separable_strip.h"
#include "gpu/launch/convolution.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/separable.h"
#include "gpu/model/factors.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

namespace tessera::cuda::separable_launch {

struct Work {
    const SeparablePlan &plan;
    const ConvolutionRequest &request;
    const model::SeparableFactors &factors;
    const LaunchTarget &target;
};

void launchU8(const Work &work);
void launchU16(const Work &work);
void launchHalf(const Work &work);
void launchFloat(const Work &work);
void launchSource(const Work &work);

// The form for 8-bit pixels of one channel; false, and nothing launched, where it cannot or need not be.
bool launchBytes(const ConvolutionRequest &request, const model::SeparableFactors &factors, const DeviceLimits &limits,
                 const LaunchTarget &target);

inline void setTaps(SeparableTaps &taps, const model::SeparableTerm &term, int leadingZeros, float scale) {
    taps = {};
    for (std::size_t u = 0; u < term.across.size(); ++u)
        taps.across[std::size_t(leadingZeros) + u] = term.across[u];
    for (std::size_t v = 0; v < term.down.size(); ++v)
        taps.down[v] = term.down[v] * scale;
    for (std::size_t i = 0; i < std::size(taps.acrossPairs); ++i)
        taps.acrossPairs[i] = taps.across[2 * i] + taps.across[2 * i + 1];
}

template <class Value> Finish foldedFinish(Finish finish) {
    if (std::is_integral_v<Value> && finish.response == Response::Signed) {
        finish.offset += (float(std::numeric_limits<Value>::max()) + 1.0f) / 2.0f;
        finish.response = Response::Clamp;
    }
    return finish;
}

template <class SourcePixel, class TargetPixel, int side, bool several> void launchTyped(const Work &work) {
    using Kernel = SeparableConvolve<SourcePixel, TargetPixel, side, several>;
    const ConvolutionRequest &request = work.request;
    Kernel kernel;
    auto &operands = kernel.operands;
    operands.source = borderedSource<SourcePixel>(request);
    operands.target = request.target.as<TargetPixel>();
    operands.firstX = request.originX - request.taps->anchorX - work.plan.leadingZeros;
    operands.firstY = request.originY - request.taps->anchorY;
    operands.rowsPerSegment = work.plan.rowsPerSegment;
    operands.terms = work.plan.terms;
    operands.bulk = work.plan.bulk;
    operands.alignedTarget = rowsAligned(request.target, 4 * int(sizeof(typename TargetPixel::Scalar)));
    operands.finish = foldedFinish<typename TargetPixel::Scalar>(request.finish);
    // A power of two goes into the taps, which it leaves exact.
    int exponent = 0;
    float scale = 1.0f;
    if (std::frexp(request.finish.divisor, &exponent) == 0.5f) {
        scale = 1.0f / request.finish.divisor;
        operands.finish.divisor = 1.0f;
    }
    operands.reciprocal = 1.0f / operands.finish.divisor;
    for (std::size_t term = 0; term < work.factors.terms.size() && term < std::size(operands.taps); ++term)
        setTaps(operands.taps[term], work.factors.terms[term], work.plan.leadingZeros, scale);
    CudaLauncher(work.target).launch(work.plan.launch, kernel);
}

template <class SourcePixel, class TargetPixel, bool several, const auto &sides> void launchSide(const Work &work) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        static_cast<void>(
            ((work.plan.side == sides[I] ? (launchTyped<SourcePixel, TargetPixel, sides[I], several>(work), true)
                                         : false) ||
             ...));
    }
    (std::make_index_sequence<sides.size()>{});
}

template <class Source, class Target> void launchTypes(const Work &work) {
    const auto forChannels = [&]<int channels>(std::integral_constant<int, channels>) {
        using From = Pixel<Source, channels>;
        using To = Pixel<Target, channels>;
        if constexpr (!std::is_same_v<Source, Target>)
            launchSide<From, To, false, separableConvertingSides>(work);
        else if (work.plan.terms > 1)
            launchSide<From, To, true, separableTermSides>(work);
        else
            launchSide<From, To, false, separableSides>(work);
    };
    if (work.request.source.channels == 1)
        forChannels(std::integral_constant<int, 1>{});
    else
        forChannels(std::integral_constant<int, 4>{});
}

} // namespace tessera::cuda::separable_launch
