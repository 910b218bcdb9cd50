// Counts bytes by their bits (bit_planes.h) on one thread.
#pragma once

#include "app/image/image.h"
#include "app/stats/bit_planes.h"
#include "app/stats/luma_levels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace tessera {

// Some rows at a time are taken apart, a stretch that stays in the first-level cache, and counted block by block.
// Blocks at the ends are filled with zeros, which are taken off level 0 in the end.
class PlaneCounter {
public:
    PlaneCounter(int channels, std::size_t counters)
        : channels_(channels), planes_(counters * planeBytes), counts_(counters) {}

    void count(const ConstPixelView &part) {
        for (int y = 0; y < part.height; y += bitPlaneRows)
            for (int x = 0; x < part.width; x += stretch)
                countStretch(part, x, y);
    }

    // counts(c, level) += all that was counted for counter c. Forgets it.
    template <class Counts> void addTo(Counts &&counts) {
        for (std::size_t c = 0; c < counts_.size(); ++c) {
            for (std::size_t level = 0; level < 256; ++level)
                for (std::uint64_t &part : counts_[c].level[level])
                    counts(c, level) += std::exchange(part, 0);
            counts(c, std::size_t(0)) -= filling_;
        }
        filling_ = 0;
    }

private:
    static constexpr int stretch = 1024; // pixels
    // Some cache lines more, so that rows and planes do not share their places in a page of 4 KB: loads would wait for
    // stores.
    static constexpr int pitch = stretch + 64;
    static constexpr std::size_t planeBytes = std::size_t(pitch) * bitPlaneRows + 5 * 64;

    void countStretch(const ConstPixelView &part, int x, int y) {
        const int width = std::min(stretch, part.width - x), rows = std::min(bitPlaneRows, part.height - y);
        const int blocks = (width + bitPlaneColumns - 1) / bitPlaneColumns;
        for (int row = 0; row < bitPlaneRows; ++row) {
            std::uint8_t *const planes = planes_.data() + row * pitch;
            if (row < rows)
                separate(part.row<std::uint8_t>(y + row) + std::ptrdiff_t(x) * channels_, width, planes);
            else
                for (std::size_t c = 0; c < counts_.size(); ++c)
                    std::memset(planes + c * planeBytes, 0, std::size_t(blocks) * bitPlaneColumns);
        }
        for (std::size_t c = 0; c < counts_.size(); ++c)
            countBitPlanes(planes_.data() + c * planeBytes, pitch, blocks, counts_[c]);
        filling_ += std::uint64_t(blocks * bitPlaneColumns * bitPlaneRows - width * rows);
    }

    // With zeros up to whole blocks.
    void separate(const std::uint8_t *pixels, int width, std::uint8_t *planes) const {
        if (channels_ == 3)
            return separateRgb(pixels, width, planes, int(planeBytes));
        if (channels_ == 1)
            std::memcpy(planes, pixels, std::size_t(width));
        else
            separateLevels(pixels, channels_, width, planes, int(planeBytes));
        const int rest = (bitPlaneColumns - width % bitPlaneColumns) % bitPlaneColumns;
        for (std::size_t c = 0; rest > 0 && c < counts_.size(); ++c)
            std::memset(planes + c * planeBytes + width, 0, std::size_t(rest));
    }

    int channels_;
    std::vector<std::uint8_t> planes_;
    std::vector<BitPlaneCounts> counts_;
    std::uint64_t filling_ = 0; // zeros of every counter
};

} // namespace tessera
