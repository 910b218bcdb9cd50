#include "gpu/peers/fft_tiling.h"

#include <algorithm>

namespace tessera::peers {

namespace {

bool isSmooth(int value, int largestPrime) {
    for (const int prime : {2, 3, 5, 7})
        while (prime <= largestPrime && value % prime == 0)
            value /= prime;
    return value == 1;
}

constexpr std::int64_t maximumGridRows = 65535LL * 8; // of a launch with 8 rows a block

} // namespace

int goodTransformSize(int minimum, int multiple, int largestPrime) {
    int size = ceilDivide(minimum, multiple) * multiple;
    while (!isSmooth(size, largestPrime))
        size += multiple;
    return size;
}

std::vector<TileGrid> transformLayouts(int width, int height, int tapsWidth, int tapsHeight, int channels,
                                       std::int64_t maximumValues) {
    std::vector<TileGrid> layouts;
    const auto add = [&](const TileGrid &tiles) {
        const bool fits = tiles.planeValues() * tiles.count() * channels <= maximumValues &&
                          std::int64_t(tiles.height) * tiles.count() <= maximumGridRows;
        if (fits && std::ranges::find(layouts, tiles) == layouts.end())
            layouts.push_back(tiles);
    };
    const int neededWidth = width + tapsWidth - 1;
    const int neededHeight = height + tapsHeight - 1;
    struct Family {
        int multiple, largestPrime;
    };
    // The least padding first, then sizes that transforms like better. A multiple of 4 in both directions keeps the
    // spectrum's (width / 2 + 1) * height even.
    for (const Family family : {Family{4, 7}, Family{16, 5}, Family{64, 3}}) {
        const int fullWidth = goodTransformSize(neededWidth, family.multiple, family.largestPrime);
        const int fullHeight = goodTransformSize(neededHeight, family.multiple, family.largestPrime);
        add({fullWidth, fullHeight, width, height, 1, 1});
    }
    for (const int side : {128, 256, 512, 1024, 2048}) {
        if (side < 2 * std::max(tapsWidth, tapsHeight) || (side >= neededWidth && side >= neededHeight))
            continue;
        const int stepX = side - tapsWidth + 1;
        const int stepY = side - tapsHeight + 1;
        add({side, side, stepX, stepY, ceilDivide(width, stepX), ceilDivide(height, stepY)});
    }
    return layouts;
}

std::vector<float> kernelPlane(const Taps &taps, const TileGrid &tiles, double scale) {
    std::vector<float> plane(std::size_t(tiles.planeValues()), 0.0f);
    for (int v = 0; v < taps.height; ++v)
        for (int u = 0; u < taps.width; ++u) {
            const std::size_t row = std::size_t((tiles.height - v) % tiles.height);
            const std::size_t column = std::size_t((tiles.width - u) % tiles.width);
            plane[row * std::size_t(tiles.width) + column] = float(scale * double(taps.at(u, v)));
        }
    return plane;
}

} // namespace tessera::peers
