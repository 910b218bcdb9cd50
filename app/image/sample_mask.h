// A picture's samples, each marked or not.
#pragma once

#include "app/image/image.h"

namespace tessera {

struct SampleMask {
    int width = 0, height = 0;
    std::vector<std::uint8_t> pixels; // row by row: bit c is channel c's; none at all where nothing is marked

    SampleMask() = default;
    SampleMask(int columns, int rows)
        : width(columns), height(rows), pixels(std::size_t(columns) * std::size_t(rows)) {}

    bool empty() const { return pixels.empty(); }
    std::uint8_t *row(int y) { return pixels.data() + std::size_t(y) * std::size_t(width); }
    const std::uint8_t *row(int y) const { return pixels.data() + std::size_t(y) * std::size_t(width); }
    SampleMask part(const Rectangle &area) const;
};

// The samples that are NaN or infinite; empty where all are finite, for one look at each. Integers always are.
SampleMask nonfiniteSamples(const ConstPixelView &picture);

} // namespace tessera
