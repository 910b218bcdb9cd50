// Kernels with the taps of a request written into them, compiled at run time; and what the launches that may use them
// share: blocked_march.cu and fetched_tile.cu.
#pragma once

#include "gpu/jit/kernel_cache.h"
#include "gpu/kernels/blocked_march.h"
#include "gpu/launch/convolution.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::cuda {

template <int Channels> using FloatPixel = Pixel<float, Channels>;
template <int Channels> using FloatOperands = MarchOperands<FloatPixel<Channels>, FloatPixel<Channels>>;

template <int Channels> FloatOperands<Channels> floatOperands(const ConvolutionRequest &request) {
    using P = FloatPixel<Channels>;
    FloatOperands<Channels> operands;
    setPictures<P, P>(operands, request);
    operands.finish = LinearFinish::of<float>(request.finish, request.channelMask, Channels);
    return operands;
}

template <int Side> MarchTaps<Side * Side> centredMarchTaps(const ConvolutionRequest &request) {
    const CentredTaps<Side> centred = centredTaps<Side>(request);
    MarchTaps<Side * Side> taps;
    std::copy(std::begin(centred.value), std::end(centred.value), taps.value);
    return taps;
}

// What is to be compiled: a kernel of `header`, named with its arguments but the last, the type of the taps, and the
// member function that does all.
struct KernelText {
    std::string_view header, kernel, function;
};

// The taps as the kernel numbers them. Of a square of `side`, where that is not 0, only those of the rectangle exist.
struct TapText {
    std::span<const float> values;
    int side = 0, left = 0, top = 0, width = 0, height = 0;
};

// Shares of the larger of memory's and arithmetic's limit that were measured: with taps as data, with constants.
struct MeasuredShares {
    double general, specialised;
};

// Stands for the tap table of compiled kernels in their parameters.
struct NoTaps {};

jit::KernelSource kernelSource(const KernelText &text, const TapText &taps);

// The kernel, if it is to be used now.
std::optional<SpecialisedKernel> compiledKernel(const KernelText &text, const TapText &taps,
                                                const ConvolutionRequest &request, MeasuredShares shares);

} // namespace tessera::cuda
