// From an untyped request to a typed kernel, for any launcher. A launcher has
//   template <class Kernel> void launch(const LaunchPlan &plan, const Kernel &kernel);
// The CUDA one stands in gpu/launch/cuda_launcher.h, the simulator's in gpu/sim/sim_launcher.h.
#pragma once

#include "gpu/image/scalar_type.h"
#include "gpu/jit/policy.h"
#include "gpu/kernels/blocked.h"
#include "gpu/kernels/naive.h"
#include "gpu/kernels/naive_float4.h"
#include "gpu/kernels/naive_half2.h"
#include "gpu/kernels/separable.h"
#include "gpu/kernels/tiled.h"
#include "gpu/kernels/tiled_float4.h"
#include "gpu/kernels/tiled_half2.h"
#include "gpu/launch/fourier.h"
#include "gpu/launch/plan.h"
#include "gpu/launch/plan_patches.h"
#include "gpu/model/factors.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tessera {

// A picture in the executor's memory: 1 or 4 channels.
struct RawView {
    void *data = nullptr;
    int width = 0;
    int height = 0;
    std::ptrdiff_t pitch = 0;
    ScalarType type = ScalarType::F32;
    int channels = 1;

    template <class P> ImageView<P> as() const { return {static_cast<P *>(data), width, height, pitch}; }
};

// As rowsAligned() of a typed view says: no row begins between two multiples of `bytes`.
inline bool rowsAligned(const RawView &view, int bytes) { return rowsAligned(view.as<std::byte>(), bytes); }

// source and target have the same number of channels; the target is of the source's type or float32, or, from a float32
// source, of any type.
struct ConvolutionRequest {
    RawView source;
    RawView target;
    int originX = 0;
    int originY = 0;
    Border border;
    Finish finish;
    unsigned channelMask = ~0u;
    const Taps *taps = nullptr;
    bool sumInFloat = true; // half2 variants: rows are added up in float; else everything in half
    // blocked: whether a kernel is compiled for these very taps.
    jit::Specialisation specialise = jit::Specialisation::Auto;
    int tensorTerms = 0; // tensor variant: parts that each tap is cut into, 1 or 2; 0: as many as it takes
    const model::SeparableFactors *factors = nullptr; // of the taps (maximumSeparableTerms at most): separable only
    const FourierOperands *fourier = nullptr;         // fft only, whose kernel may be larger than `taps` can hold
};

// What makes a half of a stored value; 65535 / 256 fits a half, 65535 does not.
constexpr float halfPixelScale(ScalarType type) { return type == ScalarType::U16 ? 1.0f / 256.0f : 1.0f; }

// As ConvolutionShape::terms counts: one too many where even the most that are allowed leave something out.
inline int termsOf(const model::SeparableFactors &factors) {
    return factors.exact ? int(factors.terms.size()) : maximumSeparableTerms + 1;
}

inline ConvolutionShape shapeOf(const ConvolutionRequest &request) {
    return {request.target.width,
            request.target.height,
            request.fourier ? request.fourier->tapsWidth : request.taps->width,
            request.fourier ? request.fourier->tapsHeight : request.taps->height,
            scalarBytes(request.source.type),
            request.source.channels,
            request.taps
                ? centredSide(request.taps->width, request.taps->height, request.taps->anchorX, request.taps->anchorY)
                : 0,
            request.source.type == ScalarType::U8 && request.target.type == ScalarType::U8,
            request.factors ? termsOf(*request.factors) : 0,
            request.source.type == ScalarType::F16 && request.target.type == ScalarType::F16,
            request.source.type != request.target.type};
}

// A constant border is stated in the picture's own units; it is rounded and saturated like any stored value.
template <class SourcePixel> BorderedView<SourcePixel> borderedSource(const ConvolutionRequest &request) {
    const float constant = request.border.mode == BorderMode::Constant ? float(request.border.constant) : 0.0f;
    return {request.source.as<const SourcePixel>(), request.border.mode,
            filledPixel<SourcePixel>(finishValue<typename SourcePixel::Scalar>(Finish{}, constant))};
}

// The float kernels take the taps as they are.
inline void setTaps(Taps &taps, Finish &, const ConvolutionRequest &request) { taps = *request.taps; }

// The half2 kernels take them divided, and undo the pixels' scale at the end through the divisor.
inline void setTaps(HalfTaps &taps, Finish &finish, const ConvolutionRequest &request) {
    taps.width = request.taps->width;
    taps.height = request.taps->height;
    taps.anchorX = request.taps->anchorX;
    taps.anchorY = request.taps->anchorY;
    for (int i = 0; i < request.taps->count(); ++i)
        taps.value[i] = Half2(request.taps->value[i] / finish.divisor);
    taps.pixelScale = halfPixelScale(request.source.type);
    taps.sumInFloat = request.sumInFloat;
    finish.divisor = taps.pixelScale;
}

// The blocked kernels take them in a square with the origin in its centre, zeros around.
template <int Side> CentredTaps<Side> centredTaps(const ConvolutionRequest &request) {
    const Taps &given = *request.taps;
    CentredTaps<Side> taps{};
    for (int v = 0; v < given.height; ++v)
        for (int u = 0; u < given.width; ++u)
            taps.value[(v + Side / 2 - given.anchorY) * Side + u + Side / 2 - given.anchorX] = given.at(u, v);
    return taps;
}
template <int Side> void setTaps(CentredTaps<Side> &taps, Finish &, const ConvolutionRequest &request) {
    taps = centredTaps<Side>(request);
}

// What the operands of all direct kernels have.
template <class SourcePixel, class TargetPixel, class Operands>
void setPictures(Operands &operands, const ConvolutionRequest &request) {
    operands.source = borderedSource<SourcePixel>(request);
    operands.target = request.target.as<TargetPixel>();
    operands.originX = request.originX;
    operands.originY = request.originY;
}

template <class SourcePixel, class TargetPixel, class TapsType = Taps>
ConvolveOperands<SourcePixel, TargetPixel, TapsType> typedOperands(const ConvolutionRequest &request) {
    ConvolveOperands<SourcePixel, TargetPixel, TapsType> operands;
    setPictures<SourcePixel, TargetPixel>(operands, request);
    operands.finish = request.finish;
    operands.channelMask = request.channelMask;
    setTaps(operands.taps, operands.finish, request);
    return operands;
}

template <template <class, class> class Kernel, class SourcePixel, class TargetPixel, class Launcher>
void launchTyped(Launcher &launcher, const LaunchPlan &plan, const ConvolutionRequest &request) {
    using Operands = decltype(Kernel<SourcePixel, TargetPixel>::operands);
    using TapsType = decltype(Operands::taps);
    launcher.launch(plan, Kernel<SourcePixel, TargetPixel>{typedOperands<SourcePixel, TargetPixel, TapsType>(request)});
}

template <template <class, class> class Kernel, class Source, class Target, class Launcher>
void launchForChannels(Launcher &launcher, const LaunchPlan &plan, const ConvolutionRequest &request) {
    if (request.source.channels == 1)
        launchTyped<Kernel, Pixel<Source, 1>, Pixel<Target, 1>>(launcher, plan, request);
    else
        launchTyped<Kernel, Pixel<Source, 4>, Pixel<Target, 4>>(launcher, plan, request);
}

// Every pair of types that a convolution may read and write: the source's own type or float from any, any from float.
template <template <class, class> class Kernel, class Launcher>
void launchKernel(Launcher &launcher, const LaunchPlan &plan, const ConvolutionRequest &request) {
    const ScalarType target = request.target.type;
    const bool same = target == request.source.type;
    switch (request.source.type) {
    case ScalarType::U8:
        return same ? launchForChannels<Kernel, std::uint8_t, std::uint8_t>(launcher, plan, request)
                    : launchForChannels<Kernel, std::uint8_t, float>(launcher, plan, request);
    case ScalarType::U16:
        return same ? launchForChannels<Kernel, std::uint16_t, std::uint16_t>(launcher, plan, request)
                    : launchForChannels<Kernel, std::uint16_t, float>(launcher, plan, request);
    case ScalarType::F16:
        return same ? launchForChannels<Kernel, Half, Half>(launcher, plan, request)
                    : launchForChannels<Kernel, Half, float>(launcher, plan, request);
    case ScalarType::F32:
        if (target == ScalarType::U8)
            return launchForChannels<Kernel, float, std::uint8_t>(launcher, plan, request);
        if (target == ScalarType::U16)
            return launchForChannels<Kernel, float, std::uint16_t>(launcher, plan, request);
        return launchForChannels<Kernel, float, float>(launcher, plan, request);
    }
}

// blocked's patches of one side as the kernels above are named: by the pixels alone.
template <int Side> struct PatchesOf {
    template <class SourcePixel, class TargetPixel> using Kernel = BlockedConvolve<SourcePixel, TargetPixel, Side>;
    template <class SourcePixel, class TargetPixel>
    using SmallKernel = BlockedConvolve<SourcePixel, TargetPixel, Side, smallPatchShape>;
};

template <class Launcher>
void launchBlockedKernel(Launcher &launcher, const LaunchPlan &plan, const ConvolutionRequest &request) {
    withPatchSide(shapeOf(request).centredSide, [&]<int Side>(std::integral_constant<int, Side>) {
        launchKernel<PatchesOf<Side>::template Kernel>(launcher, plan, request);
    });
}

// Of pictures that planSmallPatches() does not refuse.
template <class Launcher>
void launchSmallPatches(Launcher &launcher, const LaunchPlan &plan, const ConvolutionRequest &request) {
    withPatchSide(shapeOf(request).centredSide, [&]<int Side>(std::integral_constant<int, Side>) {
        using Grey = Pixel<float, 1>;
        using Levels = Pixel<std::uint8_t, 1>;
        if (request.source.type == ScalarType::U8)
            launchTyped<PatchesOf<Side>::template SmallKernel, Levels, Levels>(launcher, plan, request);
        else
            launchTyped<PatchesOf<Side>::template SmallKernel, Grey, Grey>(launcher, plan, request);
    });
}

// The six of the ladder.
template <class Launcher>
void launchVariant(Launcher &launcher, const LaunchPlan &plan, const ConvolutionRequest &request) {
    switch (plan.variant) {
    case KernelVariant::Naive:
        return launchKernel<NaiveConvolve>(launcher, plan, request);
    case KernelVariant::NaiveFloat4:
        return launchKernel<NaiveVectorConvolve>(launcher, plan, request);
    case KernelVariant::NaiveHalf2:
        return launchKernel<NaiveHalf2Convolve>(launcher, plan, request);
    case KernelVariant::Tiled:
        return launchKernel<TiledConvolve>(launcher, plan, request);
    case KernelVariant::TiledFloat4:
        return launchKernel<TiledVectorConvolve>(launcher, plan, request);
    case KernelVariant::TiledHalf2:
        return launchKernel<TiledHalf2Convolve>(launcher, plan, request);
    default:
        return; // the tuned ones have launch functions of their own
    }
}

} // namespace tessera
