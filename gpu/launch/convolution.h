// From an untyped request to a typed kernel, for any launcher. A launcher has
//   template <class Kernel> void launch(const LaunchPlan &plan, const Kernel &kernel);
// The CUDA one stands in gpu/launch/cuda_launcher.h, the simulator's in gpu/sim/sim_launcher.h.
#pragma once

#include "gpu/kernels/naive.h"
#include "gpu/kernels/tiled.h"
#include "gpu/launch/plan.h"

#include <cstdint>

namespace tessera {

enum class ScalarType : std::uint8_t { U8, U16, F32 };

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
};

constexpr int scalarBytes(ScalarType type) { return type == ScalarType::U8 ? 1 : type == ScalarType::U16 ? 2 : 4; }

inline ConvolutionShape shapeOf(const ConvolutionRequest &request) {
    return {request.target.width, request.target.height, request.taps->width, request.taps->height,
            scalarBytes(request.source.type) * request.source.channels};
}

template <class SourcePixel, class TargetPixel>
ConvolveOperands<SourcePixel, TargetPixel> typedOperands(const ConvolutionRequest &request) {
    ConvolveOperands<SourcePixel, TargetPixel> operands;
    // A constant border is stated in the picture's own units; it is rounded and saturated like any stored value.
    const float constant = request.border.mode == BorderMode::Constant ? float(request.border.constant) : 0.0f;
    operands.source = {request.source.as<const SourcePixel>(), request.border.mode,
                       filledPixel<SourcePixel>(finishValue<typename SourcePixel::Scalar>(Finish{}, constant))};
    operands.target = request.target.as<TargetPixel>();
    operands.originX = request.originX;
    operands.originY = request.originY;
    operands.finish = request.finish;
    operands.channelMask = request.channelMask;
    operands.taps = *request.taps;
    return operands;
}

template <template <class, class> class Kernel, class Source, class Target, class Launcher>
void launchForChannels(Launcher &launcher, const LaunchPlan &plan, const ConvolutionRequest &request) {
    if (request.source.channels == 1)
        launcher.launch(plan, Kernel<Pixel<Source, 1>, Pixel<Target, 1>>{
                                  typedOperands<Pixel<Source, 1>, Pixel<Target, 1>>(request)});
    else
        launcher.launch(plan, Kernel<Pixel<Source, 4>, Pixel<Target, 4>>{
                                  typedOperands<Pixel<Source, 4>, Pixel<Target, 4>>(request)});
}

// Every pair of types that a convolution may read and write.
template <template <class, class> class Kernel, class Launcher>
void launchKernel(Launcher &launcher, const LaunchPlan &plan, const ConvolutionRequest &request) {
    const ScalarType target = request.target.type;
    switch (request.source.type) {
    case ScalarType::U8:
        return target == ScalarType::U8
                   ? launchForChannels<Kernel, std::uint8_t, std::uint8_t>(launcher, plan, request)
                   : launchForChannels<Kernel, std::uint8_t, float>(launcher, plan, request);
    case ScalarType::U16:
        return target == ScalarType::U16
                   ? launchForChannels<Kernel, std::uint16_t, std::uint16_t>(launcher, plan, request)
                   : launchForChannels<Kernel, std::uint16_t, float>(launcher, plan, request);
    case ScalarType::F32:
        if (target == ScalarType::U8)
            return launchForChannels<Kernel, float, std::uint8_t>(launcher, plan, request);
        if (target == ScalarType::U16)
            return launchForChannels<Kernel, float, std::uint16_t>(launcher, plan, request);
        return launchForChannels<Kernel, float, float>(launcher, plan, request);
    }
}

} // namespace tessera
