// Which outputs a NaN or an infinity of the picture reaches: those that the contract of engines leaves open (engine.h).
#pragma once

#include "app/engines/engine.h"
#include "app/image/sample_mask.h"

namespace tessera {

// The outputs of `region` whose window, the kernel's whole rectangle laid over the picture and its border, holds a
// marked sample of their channel. As long as a few passes over the region, whatever the kernel's size.
SampleMask reachedOutputs(const SampleMask &samples, const ConvolutionKernel &kernel, BorderMode border,
                          const Rectangle &region);

// Of a job: the channels that it filters. Empty where the source is finite.
SampleMask reachedOutputs(const ConvolutionJob &job);

// The largest |tap| that is none to a NaN or an infinity: engines may lose it, as 0 in float32 or in what a kernel is
// factorized to.
double negligibleTap(const ConvolutionKernel &kernel);

// The largest magnitude of the finite samples; nominal for integers.
double largestMagnitude(const ConstPixelView &picture);

} // namespace tessera
