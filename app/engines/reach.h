// Which outputs a NaN or an infinity of the picture reaches: those that the contract of engines leaves open (engine.h).
#pragma once

#include "app/engines/engine.h"
#include "app/image/sample_mask.h"

namespace tessera {

// What of the picture and its border an output may depend on: width x height samples with the output's own at the
// anchor.
struct KernelWindow {
    int width = 1, height = 1, anchorX = 0, anchorY = 0;
};
KernelWindow rectangleOf(const ConvolutionKernel &kernel); // what has taps
KernelWindow squareOf(const ConvolutionKernel &kernel);    // as the contract has it

// The outputs of `region` whose window holds a marked sample of their channel. As long as a few passes over the region,
// whatever the window's size.
SampleMask reachedOutputs(const SampleMask &samples, const KernelWindow &window, BorderMode border,
                          const Rectangle &region);

// Of a job, by the contract: in the channels that it filters. Empty where the source is finite.
SampleMask reachedOutputs(const ConvolutionJob &job);

// The largest |tap| that is none to a NaN or an infinity: engines may lose it, as 0 in float32 or in what a kernel is
// factorized to.
double negligibleTap(const ConvolutionKernel &kernel);

// The largest magnitude of the finite samples; nominal for integers.
double largestMagnitude(const ConstPixelView &picture);

} // namespace tessera
