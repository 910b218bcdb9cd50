// Convolves one rectangle of the output on one thread.
#pragma once

#include "app/engines/cpu/prepared_kernel.h"
#include "app/engines/engine.h"

#include <vector>

namespace tessera::cpu {

// `tile` is in the region's coordinates. Cancels between blocks of rows.
void convolveTile(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd,
                  const Rectangle &tile, const RunControl &control);

// Puts channels of `part` (in the region's coordinates) that are not filtered to what they are in the source.
void copyUnfiltered(const ConvolutionJob &job, const Rectangle &part);

// Cuts the region into tiles: tall enough to share converted rows, wide enough for the memory's prefetching, small
// enough for the caches and for an even load.
std::vector<Rectangle> tilesOf(const ConvolutionJob &job, const PreparedKernel &kernel, const SimdKernels &simd,
                               unsigned threads);

} // namespace tessera::cpu
