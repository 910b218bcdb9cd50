// How the kernel whose blocks fetch a tile each is laid out for a filter (gpu/kernels/fetched_tile.h): pure functions
// of sizes. The figures come from measuring, see tests/bench/gpu-notes.md.
#pragma once

#include "gpu/kernels/fetched_tile.h"
#include "gpu/launch/plan.h"

#include <cstdint>
#include <type_traits>

namespace tessera {

// The largest centred square that tiles serve; larger ones march.
constexpr int largestTileSide(int channels) { return channels == 1 ? 15 : 7; }

// From this square on a kernel may be compiled for the very taps: below, memory decides.
inline constexpr int smallestCompiledTile = 9;

// Float pictures, except large ones of one channel under 3x3: there patches are faster by a hundredth.
constexpr bool tilesOverFloats(const ConvolutionShape &shape, int side) {
    if (shape.scalarBytes != 4 || shape.converting || side > largestTileSide(shape.channels))
        return false;
    return side > 3 || shape.channels > 1 || std::int64_t(shape.width) * shape.height < 24'000'000;
}

// Below, tiles are smaller from 7x7 on.
constexpr bool isSmallForTiles(int width, int height) { return std::int64_t(width) * height < 12'000'000; }

constexpr FetchShape fetchShape(int side, int channels, bool small) {
    if (channels > 1)
        return side <= 3 ? FetchShape{4, 8, 6} : side <= 5 ? FetchShape{4, 8, 5} : FetchShape{8, 4, 5};
    return side <= 3    ? FetchShape{4, 4, 10}
           : side <= 5  ? FetchShape{4, 8, 6}
           : side <= 7  ? (small ? FetchShape{4, 4, 8} : FetchShape{8, 4, 10})
           : side <= 9  ? (small ? FetchShape{4, 4, 8} : FetchShape{4, 4, 8, 2})
           : side <= 11 ? FetchShape{4, 4, 6}
                        : (small ? FetchShape{2, 4, 5} : FetchShape{2, 4, 5, 4});
}

// With statistics: one channel, up to 7x7.
inline constexpr int largestStatisticsSide = 7;
constexpr FetchShape statisticsShape(int side) { return side <= 5 ? FetchShape{8, 4, 5} : FetchShape{4, 4, 5, 4}; }

// What `visit` returns for the square of taps that one of `side` is embedded in, as a constant of the type.
template <int largest, class Visitor, int Side = 3> auto withTileSide(int side, Visitor visit) {
    if constexpr (Side < largest)
        if (side > Side)
            return withTileSide<largest, Visitor, Side + 2>(side, visit);
    return visit(std::integral_constant<int, Side>{});
}

constexpr Extent gridOf(const FetchShape &shape, int channels, int width, int height) {
    return {ceilDivide(width * channels, warpSize_ * fetchedRun), ceilDivide(height, shape.blockRows())};
}

} // namespace tessera
