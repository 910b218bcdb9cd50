// What the tests of the CPU engine share: kernels for each of its methods, and jobs on guarded pictures.
#pragma once

#include "app/engines/cpu/convolution_plan.h"
#include "tests/app/engine_test_support.h"

#include <functional>

namespace tessera::test {

// A picture of random values and all of a job but its target.
struct Work {
    GuardedPicture source;
    ConvolutionKernel kernel;
    ConvolutionJob job;

    Work(int width, int height, PixelFormat format, ConvolutionKernel taps, BorderMode border, Random &random);
    Work(const Work &) = delete;
    Work &operator=(const Work &) = delete;
};

// `whole` takes the region where it lies in the picture.
void convolveInto(Engine &engine, const Work &work, const Rectangle &region, const PixelView &whole,
                  const RunControl &control = {});

bool samePixels(const ConstPixelView &a, const ConstPixelView &b);

ConvolutionKernel kernelOf(int width, int height, const std::function<double(int, int)> &tap);

struct Named {
    const char *name;
    cpu::Method method; // what a picture of 600 x 500 is to be filtered with
    ConvolutionKernel kernel;
};
const std::vector<Named> &namedKernels();

cpu::ConvolutionPlan planFor(const ConvolutionKernel &kernel, int channels); // such a picture, of 8 bits

} // namespace tessera::test
