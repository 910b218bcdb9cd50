// What the launches of the marching kernels share: blocked_march.cu and warp_march.cu.
#pragma once

#include "gpu/jit/kernel_cache.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/plan_march.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace tessera::cuda::march_launch {

template <int Channels> using FloatPixel = Pixel<float, Channels>;
template <int Channels> using Operands = MarchOperands<FloatPixel<Channels>, FloatPixel<Channels>>;

MarchStrips stripsOf(const MarchShape &shape, const ConvolutionRequest &request); // on the current device

template <int Channels> Operands<Channels> operandsOf(const ConvolutionRequest &request, const MarchStrips &strips) {
    using P = FloatPixel<Channels>;
    Operands<Channels> operands;
    setPictures<P, P>(operands, request);
    operands.finish = LinearFinish::of<float>(request.finish, request.channelMask, Channels);
    operands.strip = strips.strip;
    return operands;
}

template <int Side> MarchTaps<Side * Side> marchTaps(const ConvolutionRequest &request) {
    const CentredTaps<Side> centred = centredTaps<Side>(request);
    MarchTaps<Side * Side> taps;
    std::copy(std::begin(centred.value), std::end(centred.value), taps.value);
    return taps;
}

inline LaunchPlan laidOut(const MarchShape &shape, const MarchStrips &strips, int channels) {
    LaunchPlan plan;
    plan.variant = KernelVariant::Blocked;
    plan.grid = strips.grid;
    plan.block = {shape.threads, 1};
    plan.sharedBytes = std::size_t(marchSharedBytes(shape, channels));
    return plan;
}

// Shares of the larger of memory's and arithmetic's limit that were measured: with taps as data, with constants.
struct MeasuredShares {
    double general, specialised;
};

// Stands for the tap table of compiled kernels in their parameters.
struct NoTaps {};

// A kernel with the taps of the request written into it, compiled at run time, if it is to be used now. `header` has
// the template `kernel`, whose arguments are `arguments`, the shape's text and the type of the taps.
std::optional<SpecialisedKernel> compiled(const MarchShape &shape, const ConvolutionRequest &request,
                                          std::string_view header, std::string_view kernel, std::string_view arguments,
                                          MeasuredShares shares);

inline void launch(const SpecialisedKernel &kernel, const MarchShape &shape, const MarchStrips &strips, int channels,
                   const LaunchTarget &target, const void *parameters) {
    kernel.launch(dim3(unsigned(strips.grid.x), unsigned(strips.grid.y)), dim3(unsigned(shape.threads)),
                  std::size_t(marchSharedBytes(shape, channels)), target.stream, parameters);
}

// One channel, each warp for itself (marchesByWarp): true where launched; false where no kernel is at hand, or the
// picture is none that tensor copies can take. Leave channelMask to restoreChannels().
bool launchWarpSpecialised(const ConvolutionRequest &request, const LaunchTarget &target);
bool launchWarpBuiltIn(int side, const ConvolutionRequest &request, const LaunchTarget &target);

} // namespace tessera::cuda::march_launch
