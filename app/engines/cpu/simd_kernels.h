// The inner loops of the CPU engine, compiled once for every instruction set and chosen when the program runs. They
// know rows of float samples and lists of taps; pictures, borders and threads are left to their callers.
//
// A "sample" is one channel of one pixel. Interleaved channels need no separate treatment: horizontally adjacent taps
// are `step` = channels samples apart, and everything else works on samples.
#pragma once

#include "app/engines/cpu/sample_finish.h"
#include "app/engines/cpu/simd_fourier.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::cpu {

inline constexpr int maximumBlockRows = 8;

// Where the sums of a block of rows go, and what becomes of them on the way.
struct BlockOutput {
    std::array<void *, maximumBlockRows> rows{}; // rows beyond rowCount may be null
    int rowCount = 0;                            // at most SimdKernels::blockRows
    int samples = 0;                             // a row
    Depth depth = Depth::F32;
    SampleFinish finish;
    bool raw = false;      // float rows that take the bare sums, for a second pass
    bool streamed = false; // float rows written past the caches; they must be aligned to 64 bytes
};

// Dense taps: sum over v, u of taps(u, v) * rows[j + v][i + u * step] for output row j and sample i.
struct DenseTaps {
    int width = 0, height = 0;
    int step = 1;
    const float *columns = nullptr; // column by column: tap (u, v) is columns[u * height + v]
    const float *const *nextRows =
        nullptr; // the blockRows rows after those of this block, to be fetched ahead, or null
};

// Listed taps: sum over all of weight * rows[firstRow + j][i + offset]. The passes of separable filters, and filters
// most of whose taps are zero.
struct ListedTap {
    int firstRow = 0;
    int offset = 0;
    float weight = 0;
};

// Rows must be readable as far as denseSamples() and listedSamples() say. Every output is the sum of its products
// in one fixed order, whatever its place in the block: the results are the same bits for any cut into blocks.
struct SimdKernels {
    std::string_view name; // of the instruction set, as "AVX2"
    int lanes = 1;
    int blockRows = 1;   // rows that dense() computes together
    int denseChunk = 1;  // samples that it computes together
    int listedChunk = 1; // samples that listed() computes together at least
    int listedRun = 1;   // and at best

    void (*dense)(const float *const *rows, const DenseTaps &taps, const BlockOutput &output) = nullptr;
    void (*listed)(const float *const *rows, std::span<const ListedTap> taps, const BlockOutput &output) = nullptr;
    // Converts `samples` samples to float. `ahead`: the same samples of a row that will be wanted soon, or null.
    void (*widen)(const void *source, Depth depth, float *target, int samples, const void *ahead) = nullptr;

    // The largest magnitude of all values; infinite or a NaN where one of them is.
    float (*largestMagnitude)(const float *values, int count, const void *ahead) = nullptr;

    // Interleaved channels to rows of their own, and back.
    void (*separate)(const float *samples, int channels, int pixels, float *const *rows) = nullptr;
    void (*join)(const float *const *rows, int channels, int pixels, float *samples) = nullptr;
    // Stores a row of sums as output.rows[0] wants them.
    void (*finish)(const float *sums, const BlockOutput &output) = nullptr;
    FourierKernels fourier;

    // How far rows are read for `samples` outputs, taps not counted.
    int denseSamples(int samples) const { return (samples + denseChunk - 1) / denseChunk * denseChunk; }
    int listedSamples(int samples) const { return (samples + listedChunk - 1) / listedChunk * listedChunk; }
};

// All that this machine can run, best first. Never empty.
const std::vector<const SimdKernels *> &availableSimdKernels();

} // namespace tessera::cpu
