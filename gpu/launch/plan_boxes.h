// How the kernels whose warps fetch a box each are laid out (gpu/kernels/level_tile.h, gpu/kernels/half_tile.h): pure
// functions of sizes. The figures come from measuring, see tests/bench/gpu-notes.md.
#pragma once

#include "gpu/kernels/half_tile.h"
#include "gpu/kernels/level_tile.h"
#include "gpu/launch/plan.h"

#include <algorithm>
#include <cstdint>

namespace tessera {

// Centred squares that registers suffice for.
constexpr bool tilesOverLevels(const ConvolutionShape &shape, int side) {
    return shape.eightBit && side <= (shape.channels == 1 ? largestLevelSide : 5);
}
constexpr bool tilesOverHalves(const ConvolutionShape &shape, int side) {
    return shape.half && shape.channels == 1 && side <= largestHalfSide;
}

// Pictures of fewer pixels have more and smaller tiles, to fill a GPU. Measured at 2 megapixels and below, and at 67.
constexpr bool isSmallForLevels(const ConvolutionShape &shape) {
    return shape.channels == 1 && std::int64_t(shape.width) * shape.height < 4'200'000;
}

constexpr LevelShape levelShape(int side, int channels, bool small) {
    const int pairs = (std::max(side, 3) + 1) / 2;
    if (channels == 4)
        return pairs == 2 ? LevelShape{4, 2, 1, 1, 5, 2, 8} : LevelShape{4, pairs, 1, 1, 3, 2, 6};
    if (small)
        return {1, pairs, 1, pairs == 2 ? 2 : 1, 1, 4, pairs == 2 ? 7 : pairs == 3 ? 5 : 3};
    return pairs == 2   ? LevelShape{1, 2, 2, 4, 1, 4, 6}
           : pairs == 3 ? LevelShape{1, 3, 2, 1, 3, 4, 5}
                        : LevelShape{1, 4, 2, 2, 1, 4, 4};
}
constexpr HalfShape halfShape(int side) {
    return side <= 3   ? HalfShape{3, 2, 3, 1, 7}
           : side <= 5 ? HalfShape{5, 1, 5, 2, 5}
                       : HalfShape{side, 1, side == 7 ? 4 : 3, 2, 4};
}

constexpr Extent gridOf(const LevelShape &shape, int width, int height) {
    return {ceilDivide(width, shape.warps * shape.columns()), ceilDivide(height, shape.outputRows())};
}
constexpr Extent gridOf(const HalfShape &shape, int width, int height) {
    return {ceilDivide(width, halfWarps * halfColumns), ceilDivide(height, shape.outputRows())};
}

} // namespace tessera
