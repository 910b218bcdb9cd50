// How the marching kernel (gpu/kernels/blocked_march.h) is laid out for a filter: pure functions of sizes, which host
// and GPU code share. The figures come from measuring, see tests/bench/gpu-notes.md.
#pragma once

#include "gpu/kernels/blocked_march.h"
#include "gpu/launch/plan.h"

namespace tessera {

// The largest that straight-line code of one row fits the instruction cache for: 961 taps of 2 columns, 31 KB.
inline constexpr int largestMarchTaps = 961;
// Without a run-time compiler: the largest centred square that is built in, of four channels.
inline constexpr int largestBuiltInMarch = 15;

// `constants`: the taps are written into the code. `plain`: as MarchShape says.
constexpr MarchShape marchShape(int width, int height, int anchorX, int anchorY, bool constants, bool plain) {
    const int taps = width * height;
    MarchShape shape{width, height, anchorX, anchorY, 4, 8, 3, 128, 4, 1, plain};
    if (taps <= 49 || (taps <= 81 && constants))
        shape.unrolled = 4;
    else if (taps > 480)
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
    const auto whole = [](int scalars) { return (scalars + 3) / 4 * 4; };
    const int pitch = whole(shape.anchorX * channels) + shape.threads * shape.run +
                      whole((shape.width - 1 - shape.anchorX) * channels);
    return shape.stages * (shape.rows * pitch * 4 + 8);
}

} // namespace tessera
