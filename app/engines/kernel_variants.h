// The kernels of gpu/kernels as variants of an engine: names for people, and jobs in the kernels' own terms. Shared by
// the cuda and sim engines, which run the same kernels.
#pragma once

#include "app/engines/engine.h"
#include "gpu/launch/convolution.h"

namespace tessera {

const std::vector<VariantInfo> &kernelVariantInfos();

// Throws Error{Usage} for a name that is none.
KernelVariant kernelVariantFromName(std::string_view name);

Taps tapsFrom(const ConvolutionKernel &kernel); // the kernel must fit (see kernelRefusal)

ScalarType scalarTypeOf(Depth depth);

// Channels that the kernels work on for a picture of `channels`: 1 stays 1, others become 4.
constexpr int packedChannels(int channels) { return channels == 1 ? 1 : 4; }

// The constant of the border must be a value that the kernel's pixels can hold, and a pair of integer types that
// differ goes by way of float; else the source is widened to float first.
bool needsFloatSource(const ConvolutionJob &job);

// Empty where `variant` can run the job on a device with these limits.
std::string kernelRefusal(const ConvolutionJob &job, KernelVariant variant, const DeviceLimits &limits);

ConvolutionShape kernelShape(const ConvolutionJob &job);

} // namespace tessera
