// Separable convolution in one pass: sums across and sums down of the same rows, fused.
//
// What two passes waste: the sums across travel to memory and back, which doubles the traffic of work that is bound by
// it. Here a block owns a strip of columns and marches down. Rows of the picture arrive by bulk copies, a batch ahead;
// the block makes their sums across, which stay in a ring of rows in shared memory, and from the ring the sums down. So
// the picture is read once and written once, whatever the kernel's size, until arithmetic takes over: 2 K multiply-adds a
// value against the time that 8 bytes take.
//
// What keeps everything but the multiply-adds small: a thread makes 16 neighbouring sums across from one window of
// registers, and 8 rows of 4 sums down from each row that it reads, always 16 bytes at a time; sizes are compiled in,
// so that every index is a constant and the taps are operands of the instructions.
//
// A filter that is a sum of a few separable ones (see gpu/model/factors.h) runs its terms in the same pass, each with a
// ring of its own.
//
// GPU-only (bulk copies and their barriers need compute capability 9.0): the simulator has no twin of it.
#pragma once

#include "gpu/image/finish.h"
#include "gpu/image/view.h"
#include "gpu/kernels/block.h"

#include <array>
#include <cstddef>

namespace tessera {

inline constexpr int maximumSeparableTerms = 4;
inline constexpr int maximumSeparableSide = 63;

// The sizes that are compiled; others run as the next larger one with zeros.
inline constexpr std::array separableSides{3, 5, 7, 9, 11, 13, 15, 19, 23, 27, 31, 63};
inline constexpr std::array separableConvertingSides{7, 15, 31, 63}; // from one pixel type to another
inline constexpr std::array separableTermSides{7, 15, 31};           // several terms

namespace separable {

constexpr int roundUp(int value, int to) { return (value + to - 1) / to * to; }

// All of a launch that the compiler must know, in numbers. A chunk is 16 bytes: the unit of copies and of the banks.
template <class SourcePixel, int side_, bool several_> struct Shape {
    static constexpr int side = side_;
    static constexpr bool several = several_; // terms
    static constexpr int channels = SourcePixel::channels;
    static constexpr int perChunk = 16 / int(sizeof(SourcePixel)); // pixels
    static constexpr bool isNarrow = several || side > 31;         // where the rings would not fit

    static constexpr int floats = isNarrow ? 256 : 512; // of a row of the strip
    static constexpr int width = floats / channels;     // pixels
    static constexpr int rowsEach = 8;                  // rows of sums down of a thread, 4 floats each
    static constexpr int groups = side > 31 ? 4 : 3;    // threads on top of each other
    static constexpr int batch = rowsEach * groups;     // rows at a time
    static constexpr int threads = floats / 4 * groups;
    static constexpr int warps = threads / warpSize_;

    // Rows as they arrive: from the chunk that holds the first tap of the first output on.
    static constexpr int run = channels == 1 ? 16 : perChunk >= 4 ? 8 : 4; // outputs of a thread across
    static constexpr int runChunks = run / perChunk;
    static constexpr int before = side / 2;
    static constexpr int lead = roundUp(before, perChunk) - before; // pixels before that tap, for alignment
    static constexpr int windowChunks = (lead + run + side - 1 + perChunk - 1) / perChunk;
    static constexpr int rowChunks = width / perChunk - runChunks + windowChunks;
    static constexpr int rowStride = rowChunks | 1; // odd: threads that read several rows at a time then meet all banks

    // The ring of sums across: what a batch of sums down needs.
    static constexpr int prefix = roundUp(side - 1, rowsEach); // rows before the first output can be made
    static constexpr int prefixBatches = (prefix + batch - 1) / batch;
    // Where arithmetic counts, sums across of the next batch are made while other warps make sums down: one barrier a
    // batch rather than two, for a ring that holds one batch more.
    static constexpr bool overlaps = !several && side >= 19 && side <= 31;
    static constexpr int ringRows = batch + prefix + (overlaps ? batch : 0);
    static constexpr int ringStride = floats / 4; // chunks

    static constexpr int runsPerRow = width / run;
    static constexpr int items = batch * runsPerRow / threads; // windows of a thread in a batch
    static constexpr int runsPerWarp = warpSize_ / runChunks;  // in runChunks rows at a time
    static constexpr int warpsPerRow = runsPerRow > runsPerWarp ? runsPerRow / runsPerWarp : 1;
    static constexpr int rowsPerWarp = runChunks * (runsPerWarp > runsPerRow ? runsPerWarp / runsPerRow : 1);

    // Pairs of rows share a third of the products (see acrossInPairs); with few taps it does not pay.
    static constexpr bool inPairs = channels == 1 && side >= 23;

    static constexpr int barrierBytes = 16;
    static constexpr std::size_t ringBytes = std::size_t(16) * ringRows * ringStride; // of a term
    static constexpr std::size_t batchBytes = std::size_t(16) * batch * rowStride;
    static constexpr int stages = !several && ringBytes + 2 * batchBytes + barrierBytes <= 227 * 1024 ? 2 : 1;
    static constexpr std::size_t sharedBytes(int terms) {
        return barrierBytes + std::size_t(terms) * ringBytes + std::size_t(stages) * batchBytes;
    }

    static_assert(warps % warpsPerRow == 0 && items >= 1 && items * rowsPerWarp * (warps / warpsPerRow) == batch);
};

} // namespace separable

struct SeparableTaps {
    float across[maximumSeparableSide + 1];
    float down[maximumSeparableSide + 1];
    float acrossPairs[(maximumSeparableSide + 1) / 2]; // across[2 i] + across[2 i + 1]
};

// Row and column of the source are those of the first tap of output (0, 0), as the compiled size counts taps.
template <class SourcePixel, class TargetPixel, bool several> struct SeparableOperands {
    BorderedView<SourcePixel> source;
    ImageView<TargetPixel> target;
    int firstX = 0;
    int firstY = 0;
    int rowsPerSegment = 1; // of the target, for each block of a strip
    int terms = 1;
    bool bulk = false;           // rows may be copied in chunks: base, pitch and firstX are aligned
    bool alignedTarget = false;  // four values may be stored at once
    Finish finish;               // Signed has become part of the offset
    float reciprocal = 1.0f;     // of the divisor
    SeparableTaps taps[several ? maximumSeparableTerms : 1];
};

} // namespace tessera
