// The kernels of gpu/kernels as variants of an engine: names for people, and jobs in the kernels' own terms. Shared by
// the cuda and sim engines, which run the same kernels.
#pragma once

#include "app/engines/engine.h"
#include "gpu/launch/convolution.h"

#include <optional>

namespace tessera {

const std::vector<VariantInfo> &kernelVariantInfos(); // the six of the ladder
const std::vector<VariantInfo> &tunedVariantInfos();  // those of the GPU alone

// A variant with its options: "tiled-half2:accumulate=half" keeps the whole sum in half, "accumulate=float" (the
// default) adds the kernel rows' sums up in float. "blocked:specialise=always" compiles a kernel for the very taps and
// waits for it, "never" does not, "auto" (the default) does so in the background once it pays. "tensor:terms=1" cuts
// the taps of 8-bit pictures to one byte each.
struct VariantChoice {
    KernelVariant variant = KernelVariant::Tiled;
    bool sumInFloat = true;
    jit::Specialisation specialise = jit::Specialisation::Auto;
    int terms = 0; // "tensor:terms=1": each tap in one part; 0: as many as it takes
};

// Throws Error{Usage} for a name or an option that is none. `name` empty: `preferred`.
VariantChoice parseVariant(std::string_view name, KernelVariant preferred);

Taps tapsFrom(const ConvolutionKernel &kernel); // the kernel must fit (see kernelRefusal)

// The kernel as a sum of at most maximumSeparableTerms separable ones; nothing where it is too large for the variant.
// Of the kernel that a thread asked for last the answer is kept: decomposing takes milliseconds where it is large.
std::optional<model::SeparableFactors> separableFactors(const ConvolutionKernel &kernel);

ScalarType scalarTypeOf(Depth depth);

// Channels that the kernels work on for a picture of `channels`: 1 stays 1, others become 4.
constexpr int packedChannels(int channels) { return channels == 1 ? 1 : 4; }

// The constant of the border must be a value that the kernel's pixels can hold, and a pair of integer types that
// differ goes by way of float; else the source is widened to float first.
bool needsFloatSource(const ConvolutionJob &job);

// Empty where `variant` can run the job on a device with these limits.
std::string kernelRefusal(const ConvolutionJob &job, const VariantChoice &choice, const DeviceLimits &limits);

// Half-precision variants only: empty where sums of at most `largest` source values stay within a half.
std::string halfOverflow(const ConvolutionJob &job, double largest);

// kernelRefusal() and, for half-precision variants of float pictures, whose range only the pixels tell, halfOverflow().
// Throws Error{Usage}.
void checkKernelJob(const ConvolutionJob &job, const VariantChoice &choice, const DeviceLimits &limits);

// Engine::errorBound() of the variant.
double kernelErrorBound(const ConvolutionJob &job, const VariantChoice &choice, double largest);

// The request but for its pictures. `taps` must outlive it.
ConvolutionRequest requestFor(const ConvolutionJob &job, const VariantChoice &choice, const Taps &taps);

// Multiplies the request's taps and divisor by sumScaleKept() (engine_support.h) where the variant adds up floats tap
// by tap.
void scaleSums(const ConvolutionJob &job, const VariantChoice &choice, Taps &taps, ConvolutionRequest &request);

ConvolutionShape kernelShape(const ConvolutionJob &job);

} // namespace tessera
