// Sizes for convolution by Fourier transform: the whole picture in one transform, padded to a size with small prime
// factors, or overlapping tiles in a batch (overlap-save). Pure host code: which of them is fastest, a measurement
// decides.
#pragma once

#include "gpu/image/taps.h"
#include "gpu/kernels/tiles.h"

#include <vector>

namespace tessera::peers {

// The smallest multiple of `multiple` that is at least `minimum` and has no prime factor above `largestPrime`.
int goodTransformSize(int minimum, int multiple, int largestPrime);

// What is worth trying for `width` x `height` outputs under a kernel of tapsWidth x tapsHeight, each channel a plane.
// Widths are even and a plane's spectrum has an even number of values, for accesses of two at a time. Layouts whose
// planes together exceed `maximumValues` are left out; none may remain.
std::vector<TileGrid> transformLayouts(int width, int height, int tapsWidth, int tapsHeight, int channels,
                                       std::int64_t maximumValues);

// The taps as a plane whose transform multiplies a tile's. Correlation: an output x takes taps(u) * plane(x + u), so
// tap u stands at -u, round the plane's end. `scale` takes in what the transforms leave: 1 / planeValues().
std::vector<float> kernelPlane(const Taps &taps, const TileGrid &tiles, double scale);

} // namespace tessera::peers
