// How the kernels with rings of rows are laid out (gpu/kernels/level_march.h, gpu/kernels/half_march.h): pure functions
// of sizes. The figures come from measuring, see tests/bench/gpu-notes.md.
#pragma once

#include "gpu/kernels/half_march.h"
#include "gpu/kernels/level_march.h"
#include "gpu/launch/plan.h"

#include <algorithm>
#include <cstdint>

namespace tessera {

// Pictures of fewer pixels leave some of a GPU without a strip, and have small patches instead. Not measured below.
inline constexpr std::int64_t smallestRingPicture = 1'100'000;

constexpr bool isLargeForRings(const ConvolutionShape &shape) {
    return std::int64_t(shape.width) * shape.height > smallestRingPicture;
}

// Centred squares that were faster so than as patches, and that registers suffice for.
constexpr bool marchesOverLevels(const ConvolutionShape &shape, int side) {
    return shape.eightBit && side <= (shape.channels == 1 ? largestLevelSide : 5) && isLargeForRings(shape);
}
// At 3x3 patches take as long as memory does.
constexpr bool marchesOverHalves(const ConvolutionShape &shape, int side) {
    return shape.half && shape.channels == 1 && side >= 5 && side <= largestHalfSide && isLargeForRings(shape);
}

constexpr LevelShape levelShape(int side, int channels) {
    const int pairs = (std::max(side, 3) + 1) / 2;
    if (channels == 4)
        return {4, pairs, 1, 1, 3, pairs == 2 ? 4 : 3};
    return pairs == 2 ? LevelShape{1, 2, 2, 2, 3, 5} : LevelShape{1, pairs, 2, 1, 3, pairs == 3 ? 5 : 4};
}
constexpr HalfShape halfShape(int side) { return side <= 5 ? HalfShape{5, 1, 4, 2, 5} : HalfShape{side, 1, 3, 2, 4}; }

struct RingStrips {
    Extent grid;
    int strip = 0; // rows, whole stages
};

// One wave of blocks that stay, or fewer where strips would be less than some 16 rows.
constexpr RingStrips ringStrips(int blockColumns, int stageRows, int blocks, int width, int height,
                                int multiprocessors) {
    const int columns = ceilDivide(width, blockColumns);
    const int wave = std::max(1, multiprocessors * blocks / columns);
    const int rows = ceilDivide(height, std::min(wave, height / 16 + 1));
    const int strip = ceilDivide(rows, stageRows) * stageRows;
    return {{columns, ceilDivide(height, strip)}, strip};
}
constexpr RingStrips stripsOf(const LevelShape &shape, int width, int height, int multiprocessors) {
    return ringStrips(levelWarps * shape.columns(), shape.rows(), shape.blocks, width, height, multiprocessors);
}
constexpr RingStrips stripsOf(const HalfShape &shape, int width, int height, int multiprocessors) {
    return ringStrips(halfWarps * halfColumns, shape.rows(), shape.blocks, width, height, multiprocessors);
}

} // namespace tessera
