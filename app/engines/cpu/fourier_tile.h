// Convolves one pair of tiles of a Fourier kernel on one thread.
#pragma once

#include "app/engines/cpu/prepared_kernel.h"
#include "app/engines/engine.h"

namespace tessera::cpu {

// The grid's pairs that the job's region touches, each as what it computes of the picture.
std::vector<Rectangle> fourierPairsOf(const ConvolutionJob &job, const PreparedKernel &kernel);

// What these cover, as one rectangle; they are known by the plan alone.
Rectangle fourierArea(const ConvolutionJob &job, const ConvolutionPlan &plan);

// Writes what `pair` and the region have in common; returns that in the region's coordinates.
Rectangle convolveFourierPair(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd,
                              const Rectangle &pair, const RunControl &control);

} // namespace tessera::cpu
