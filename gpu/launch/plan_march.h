// How a marching kernel (gpu/kernels/blocked_march.h, gpu/kernels/warp_march.h) is laid out for a filter: pure
// functions of sizes, which host and GPU code share. The figures come from measuring, see tests/bench/gpu-notes.md.
#pragma once

#include "gpu/kernels/warp_march.h"
#include "gpu/launch/plan.h"

namespace tessera {

// The largest that straight-line code of one row fits the instruction cache for: 961 taps of 2 columns, 31 KB.
inline constexpr int largestMarchTaps = 961;
// Without a run-time compiler: the largest centred square that is built in.
inline constexpr int largestBuiltInMarch = 15;
// The smallest for which marching beats patches.
constexpr int smallestMarch(int channels) { return channels == 1 ? 7 : 5; }

// Whether each warp marches alone. At 7x7 that is no faster than a block's march, at 31x31 slower; sizes in between
// that are not named here have not been measured.
constexpr bool marchesByWarp(int width, int height, int channels) {
    return channels == 1 && width <= 15 && height <= 15 && width * height > 49;
}

constexpr MarchShape warpMarchShape(int width, int height, int anchorX, int anchorY, bool constants) {
    const int taps = width * height;
    MarchShape shape{width, height, anchorX, anchorY, 4, 4, 3, 128, 4, 1, true};
    if (taps <= 81) {
        if (constants) {
            shape.rows = 8;
            shape.stages = 2;
        }
        shape.unrolled = constants ? 2 : 4;
    } else if (taps <= 121 && constants)
        shape.unrolled = 2;
    return shape;
}

// `constants`: the taps are written into the code. `plain`: as MarchShape says; a warp that marches alone is always so.
constexpr MarchShape marchShape(int width, int height, int anchorX, int anchorY, int channels, bool constants,
                                bool plain) {
    if (marchesByWarp(width, height, channels))
        return warpMarchShape(width, height, anchorX, anchorY, constants);
    const int taps = width * height;
    MarchShape shape{width, height, anchorX, anchorY, 4, 8, 3, 128, 4, 1, plain};
    if (taps <= 49)
        shape.unrolled = 4;
    else if (taps <= 81) {
        shape.unrolled = constants ? 4 : 1;
        if (channels == 1)
            shape = {width, height, anchorX, anchorY, 8, 4, 3, 128, 3, 2, plain};
    } else if (taps > 480)
        shape.run = 2;
    return shape;
}

// Blocks and the rows that each makes: one wave of blocks that stay, or fewer where strips would grow shorter than the
// kernel is high and rows above them would be read more often than outputs are made.
struct MarchStrips {
    Extent grid;
    int strip = 0;
};

constexpr MarchStrips marchStrips(const MarchShape &shape, int width, int height, int channels, int multiprocessors) {
    const int columns = ceilDivide(width * channels, shape.threads * shape.run);
    const int wave = multiprocessors * shape.blocks / columns;
    const int shortest = 2 * shape.height > 16 ? 2 * shape.height : 16;
    const int most = ceilDivide(height, shortest);
    const int strips = wave < 1 ? 1 : wave > most ? most : wave;
    const int strip = ceilDivide(height, strips);
    return {{columns, ceilDivide(height, strip)}, strip};
}

constexpr int marchSharedBytes(const MarchShape &shape, int channels) {
    if (marchesByWarp(shape.width, shape.height, channels))
        return WarpMarchLayout::of(shape).sharedBytes;
    const auto whole = [](int scalars) { return (scalars + 3) / 4 * 4; };
    const int pitch = whole(shape.anchorX * channels) + shape.threads * shape.run +
                      whole((shape.width - 1 - shape.anchorX) * channels);
    return shape.stages * (shape.rows * pitch * 4 + 8);
}

} // namespace tessera
