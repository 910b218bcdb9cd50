// Counts bytes by their bits (bit_planes.h) on one thread.
#pragma once

#include "app/stats/bit_planes.h"
#include "app/stats/luma_levels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace tessera {

// Samples wait, each counter's for themselves, until there are as many as are counted at a time: rows of tiles are
// shorter than a block, and counters that take turns push each other out of the first-level cache.
class PlaneCounter {
public:
    PlaneCounter(int channels, std::size_t counters)
        : channels_(channels), waiting_(counters * room), counts_(counters) {}

    void count(const std::uint8_t *pixels, int count) {
        while (count > 0) {
            const int part = std::min(count, room - filled_);
            separate(pixels, part, waiting_.data() + filled_);
            filled_ += part;
            pixels += std::ptrdiff_t(part) * channels_;
            count -= part;
            if (filled_ == room)
                countWaiting();
        }
    }

    // counts(c, level) += all that was counted for counter c. Forgets it.
    template <class Counts> void addTo(Counts &&counts) {
        for (std::size_t c = 0; c < counts_.size(); ++c) {
            for (int i = 0; i < filled_; ++i)
                ++counts(c, std::size_t(waiting_[c * room + std::size_t(i)]));
            for (std::size_t level = 0; level < 256; ++level)
                for (std::uint64_t &part : counts_[c].level[level])
                    counts(c, level) += std::exchange(part, 0);
        }
        filled_ = 0;
    }

private:
    static constexpr int room = 8 * bitPlaneBlock;

    void separate(const std::uint8_t *pixels, int count, std::uint8_t *planes) const {
        if (channels_ == 1) {
            std::memcpy(planes, pixels, std::size_t(count));
            return;
        }
        if (channels_ != 3 || count < 64)
            return separateLevels(pixels, channels_, count, planes, room);
        const int whole = count / 64 * 64;
        separateRgb(pixels, whole, planes, room);
        if (whole < count) // the last ones overlap those before
            separateRgb(pixels + std::ptrdiff_t(count - 64) * 3, 64, planes + count - 64, room);
    }

    void countWaiting() {
        for (std::size_t c = 0; c < counts_.size(); ++c)
            countBitPlanes(waiting_.data() + c * room, room / bitPlaneBlock, counts_[c]);
        filled_ = 0;
    }

    int channels_;
    std::vector<std::uint8_t> waiting_; // `room` of each counter
    std::vector<BitPlaneCounts> counts_;
    int filled_ = 0;
};

} // namespace tessera
