// Separable convolution of 8-bit pixels of one channel in one pass, both sums on the tensor cores.
//
// What separable.h wastes here: 8-bit rows take a quarter of the time that float rows take to arrive, so that
// arithmetic takes over from 7 taps on, and each pixel is widened again for every window that it falls into. Here a
// window is a fragment of the tensor cores. A byte's bits taken as a half are that number times 2^-24, exactly (a
// subnormal), so that widening two pixels is one permutation. Taps are scaled by a power of two and cut into two
// halves, which hold 22 bits of them; one will do where it holds them all, as of boxes and other whole numbers. The
// sums across come out of the first product just where the second wants its rows: they are cut into two halves as well
// and multiplied by the taps down without leaving the registers. So there is no ring of sums in shared memory and no
// barrier of the block: warps march down their own columns, and tell each other only when a row's buffer is free.
//
// Sums down of several blocks of 16 rows are under way at a time; each product adds to the block one place further on,
// so that moving costs nothing.
//
// Compiled for three sizes, which differ in the blocks of 16 columns and rows of a window (Shape::eights); smaller
// kernels run with zeros. GPU-only, compute capability 9.0: the simulator has no twin of it.
#pragma once

#include "gpu/kernels/separable.h"

#include <cstdint>

namespace tessera {

inline constexpr std::array separableByteSides{9, 17, 33};
inline constexpr int largestSeparableByteSide = 33;
// Width plus height of the taps from which it is faster, and as exact, as separable.h (tests/bench/gpu-notes.md).
constexpr int leastByteTaps(int parts) { return parts == 1 ? 10 : 14; }

namespace separable {

// What Rows asks of a shape, and the fragments.
// `parts`: halves that a tap is cut into.
template <int side_, int parts_> struct ByteShape {
    static constexpr int side = side_;
    static constexpr int parts = parts_;
    static constexpr int channels = 1;
    static constexpr int perChunk = 16;
    static constexpr bool lean = side <= 17 || parts == 1; // in registers
    static constexpr int tiles = lean ? 2 : 4;             // of 16 columns, side by side, of a warp
    static constexpr int warps = lean ? 8 : 4;
    static constexpr int threads = warps * warpSize_;
    static constexpr int blocks = 2; // on a multiprocessor
    static constexpr int stages = 4;
    static constexpr int batch = 16;
    static constexpr int width = tiles * 16 * warps;

    // A window: `eights` times 8 columns (and rows) for 16 outputs. Of the smallest the last 8 stand alone.
    static constexpr bool odd = side <= 9;
    static constexpr int eights = odd ? 3 : side <= 17 ? 4 : 6;
    static constexpr int pairs = eights / 2;
    static constexpr int before = side / 2;
    static constexpr int lead = roundUp(before, perChunk) - before; // pixels before the first tap, for alignment
    static constexpr int unit = odd ? 2 : 4;                        // pixels that a lane reads at a time
    static constexpr int start = lead / unit * unit;                // of a window, from its first chunk on
    static constexpr int zeros = lead - start;                      // before its first tap
    static_assert(16 + side - 1 + zeros <= eights * 8);

    static constexpr int run = 16;
    static constexpr int runsPerRow = width / run;
    static constexpr int runsPerWarp = tiles;
    static constexpr int warpsPerRow = warps;
    static constexpr int rowsPerWarp = batch;
    static constexpr int items = 1;
    static constexpr int windowChunks = (start + eights * 8 + perChunk - 1) / perChunk;
    static constexpr int rowChunks = width / perChunk - 1 + windowChunks;
    static constexpr int rowStride = rowChunks | 1;

    static constexpr int rowShift = odd ? 8 : 0;     // rows of the first batch before the first that is needed
    static constexpr int lag = odd ? 1 : pairs - 1;  // batches before the first outputs
    static constexpr int underWay = odd ? 2 : pairs; // blocks of 16 rows of sums down
    static constexpr int lineStride = tiles + 1;     // chunks of a row of a warp's outputs on their way out
    static constexpr int lineChunks = warps * batch * lineStride;
    static constexpr std::size_t barrierBytes = std::size_t(8) * 2 * stages;
    static constexpr std::size_t sharedBytes =
        barrierBytes + std::size_t(16) * (stages * batch * rowStride + lineChunks);
};

} // namespace separable

// `firstX`, `firstY`: source column and row of the first tap of output (0, 0), as the compiled size counts taps. Rows
// of both pictures begin at multiples of 16 bytes, and so does the window of the first output.
struct SeparableByteOperands {
    using Pixels = Pixel<std::uint8_t, 1>;
    BorderedView<Pixels> source;
    ImageView<Pixels> target;
    int firstX = 0;
    int firstY = 0;
    int rowsPerSegment = 1; // of the target, for each block of a strip
    float scale = 1.0f;     // of a sum: undoes the scales of taps and pixels; a divisor that is a power of two is in it
    float base = 0.0f;      // quick: the offset, and 1.5 * 2^23
    Finish finish;          // not quick: the divisor that is left, and the response; Signed is part of the offset
    float reciprocal = 1.0f;
    float across[largestSeparableByteSide] = {}; // the largest of each in [2^14, 2^15)
    float down[largestSeparableByteSide] = {};
};

} // namespace tessera
