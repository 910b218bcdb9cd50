// How gpu/kernels/level_march.h is laid out: pure functions of sizes. The figures come from measuring, see
// tests/bench/gpu-notes.md.
#pragma once

#include "gpu/kernels/level_march.h"
#include "gpu/launch/plan.h"

#include <algorithm>
#include <cstdint>

namespace tessera {

// Pictures of fewer pixels leave some of a GPU without a strip. Not measured below.
inline constexpr std::int64_t smallestLevelPicture = 1'100'000;

// Centred squares that were faster so than as patches, and that registers suffice for.
constexpr bool marchesOverLevels(const ConvolutionShape &shape, int side) {
    return shape.eightBit && side <= (shape.channels == 1 ? largestLevelSide : 5) &&
           std::int64_t(shape.width) * shape.height > smallestLevelPicture;
}

constexpr LevelShape levelShape(int side, int channels) {
    const int pairs = (std::max(side, 3) + 1) / 2;
    if (channels == 4)
        return {4, pairs, 1, 1, 3, pairs == 2 ? 4 : 3};
    return pairs == 2 ? LevelShape{1, 2, 2, 2, 3, 5} : LevelShape{1, pairs, 2, 1, 3, pairs == 3 ? 5 : 4};
}

struct LevelStrips {
    Extent grid;
    int strip = 0; // rows, whole stages
};

// One wave of blocks that stay, or fewer where strips would be less than some 16 rows.
constexpr LevelStrips levelStrips(const LevelShape &shape, int width, int height, int multiprocessors) {
    const int columns = ceilDivide(width, levelWarps * shape.columns());
    const int wave = std::max(1, multiprocessors * shape.blocks / columns);
    const int rows = ceilDivide(height, std::min(wave, height / 16 + 1));
    const int strip = ceilDivide(rows, shape.rows()) * shape.rows();
    return {{columns, ceilDivide(height, strip)}, strip};
}

} // namespace tessera
