// Counts the levels of integer pixels on one thread.
#pragma once

#include "app/stats/channel_rows.h"
#include "app/stats/luma_levels.h"
#include "app/stats/pair_counter.h"
#include "app/stats/plane_counter.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace tessera {

// Counts by [copy][counter][level]; the counters are the channels and, for colours, luminance. Neighbouring pixels are
// often equal, and incrementing one counter twice in a row waits for the store; so they go to different copies. 16-bit
// counts are too large to be copied.
template <class T> class LevelCounter {
public:
    static constexpr std::size_t levels = std::size_t(std::numeric_limits<T>::max()) + 1;

    // `byPlanes`: bytes are counted by their bits, which gives the same counts sooner.
    explicit LevelCounter(PixelFormat format, bool byPlanes = sizeof(T) == 1 && canCountBitPlanes())
        : channels_(format.channels), counters_(std::size_t(format.channels + (hasLuminance(format) ? 1 : 0))),
          recent_(byPlanes ? 0 : copies * counters_ * levels), totals_(counters_ * levels) {
        if (byPlanes)
            planes_.emplace(channels_, counters_);
    }

    // Rows of the counter's format, two at a time.
    void count(const ConstPixelView &part) {
        int y = 0;
        if constexpr (sizeof(T) == 1)
            if (planes_) {
                for (; y < part.height; ++y)
                    planes_->count(part.row<T>(y), part.width);
                return;
            }
        for (; y + 1 < part.height; y += 2)
            countTwo(part.row<T>(y), part.row<T>(y + 1), part.width);
        if (y < part.height)
            countOne(part.row<T>(y), part.width);
    }

    // counts(c)[level] += all that was counted.
    template <class Counts> void addTo(Counts &&counts) {
        flush();
        for (std::size_t c = 0; c < counters_; ++c)
            for (std::size_t level = 0; level < levels; ++level)
                counts(c)[level] += totals_[c * levels + level];
    }

private:
    // One above the other: bytes as pairs where that pays.
    void countTwo(const T *above, const T *below, int count) {
        if (!takesPairs(count)) {
            countOne(above, count);
            countOne(below, count);
            return;
        }
        if constexpr (sizeof(T) == 1)
            switch (channels_) {
            case 1:
                return countPairs<1>(above, below, count);
            case 2:
                return countPairs<2>(above, below, count);
            case 3:
                return countPairs<3>(above, below, count);
            default:
                return countPairs<4>(above, below, count);
            }
    }

    void countOne(const T *pixels, int count) {
        switch (channels_) {
        case 1:
            return countPixels<1>(pixels, count);
        case 2:
            return countPixels<2>(pixels, count);
        case 3:
            return countPixels<3>(pixels, count);
        default:
            return countPixels<4>(pixels, count);
        }
    }

    static constexpr std::size_t copies = sizeof(T) == 1 ? 4 : 1;
    static constexpr std::uint64_t flushAfter = std::uint64_t(1) << 30; // 32-bit counters must not run over

    // The table of pairs is larger than the first-level cache and has to be added up in the end: not for small
    // pictures, and not where steps between rows are large, as in noise.
    static constexpr std::uint64_t leastForPairs = std::uint64_t(1) << 19;        // pixels
    static constexpr int leastRowsWithoutPairs = 32, mostRowsWithoutPairs = 1024; // until they are tried again

    bool takesPairs(int count) {
        if (sizeof(T) != 1 || seen_ < leastForPairs)
            return false;
        if (withoutPairs_ > 0) {
            --withoutPairs_;
            return false;
        }
        if (!pairs_)
            pairs_ = std::make_unique<PairCounter>();
        reserve(2 * std::uint64_t(count));
        return true;
    }

    // Makes room for so many more pixels.
    void reserve(std::uint64_t count) {
        seen_ += count;
        counted_ += count;
        if (counted_ > flushAfter)
            flush(), counted_ = count;
    }

    template <int channels> void countPixels(const T *pixels, int count) {
        reserve(std::uint64_t(count));
        if constexpr (sizeof(T) == 1)
            countBytes<channels>(pixels, count);
        else
            countOneByOne<channels>(pixels, count);
    }

    template <int channels> void countOneByOne(const T *pixel, int count) {
        std::uint32_t *counts = recent_.data();
        for (int x = 0; x < count; ++x, pixel += channels) {
            for (int c = 0; c < channels; ++c)
                ++counts[std::size_t(c) * levels + pixel[c]];
            if constexpr (channels >= 3)
                ++counts[std::size_t(channels) * levels + lumaLevel(pixel[0], pixel[1], pixel[2])];
        }
    }

    // Luminance is computed for a stretch at a time, with vectors; the counting knows plain bytes only.
    template <int channels> void countBytes(const T *pixels, int count) {
        constexpr int stretch = 2048;
        std::array<std::uint8_t, stretch> luma;
        for (int done = 0; done < count; done += stretch, pixels += stretch * channels) {
            const int part = std::min(stretch, count - done);
            countBlocks<channels>(pixels, part, 0);
            if constexpr (channels >= 3) {
                lumaLevels(pixels, channels, part, luma.data());
                countBlocks<1>(luma.data(), part, channels);
            }
        }
    }

    template <int channels> void countPairs(const T *above, const T *below, int count) {
        constexpr int stretch = 512;
        for (int done = 0; done < count; done += stretch, above += stretch * channels, below += stretch * channels) {
            const int part = std::min(stretch, count - done);
            if (countStretchOfPairs<channels>(above, below, part) * 16 > part * int(counters_)) {
                withoutPairs_ = rowsWithoutPairs_;
                rowsWithoutPairs_ = std::min(2 * rowsWithoutPairs_, mostRowsWithoutPairs);
                const int rest = count - done - part;
                countBytes<channels>(above + part * channels, rest);
                countBytes<channels>(below + part * channels, rest);
                return;
            }
        }
        rowsWithoutPairs_ = leastRowsWithoutPairs;
    }

    template <int channels> int countStretchOfPairs(const T *above, const T *below, int count) {
        int apart = countStretch<channels>(above, below, count, 0);
        if constexpr (channels >= 3) {
            std::array<std::uint8_t, 512> lumaAbove, lumaBelow;
            lumaLevels(above, channels, count, lumaAbove.data());
            lumaLevels(below, channels, count, lumaBelow.data());
            apart += countStretch<1>(lumaAbove.data(), lumaBelow.data(), count, channels);
        }
        return apart;
    }

    // Returns how many samples were no pairs.
    template <int channels>
    int countStretch(const std::uint8_t *above, const std::uint8_t *below, int count, int firstCounter) {
        std::array<std::uint16_t, 512 * channels> places, apart;
        const int samples = count * channels;
        const int found = findPairs(above, below, samples, places.data(), apart.data());
        pairs_->count<channels>(places.data(), samples, firstCounter);
        for (int i = 0; i < found; ++i) {
            const std::size_t at = apart[std::size_t(i)];
            std::uint32_t *counts = recent_.data() + (std::size_t(firstCounter) + at % channels) * levels;
            ++counts[above[at]];
            ++counts[below[at]];
        }
        return found;
    }

    // Eight pixels at a time, from as many words as they have channels: the counter and the copy of each byte are known
    // when this is compiled.
    template <int channels> void countBlocks(const std::uint8_t *pixels, int count, int firstCounter) {
        const std::size_t copyStride = counters_ * levels;
        std::array<std::uint32_t *, copies> counts;
        for (std::size_t copy = 0; copy < copies; ++copy)
            counts[copy] = recent_.data() + copy * copyStride + std::size_t(firstCounter) * levels;
        int x = 0;
        for (; x + 8 <= count; x += 8, pixels += 8 * channels) {
            std::array<std::uint64_t, channels> words;
            std::memcpy(words.data(), pixels, sizeof(words));
#pragma GCC unroll 4
            for (int w = 0; w < channels; ++w)
#pragma GCC unroll 8
                for (int b = 0; b < 8; ++b) {
                    const int index = 8 * w + b, channel = index % channels;
                    const std::size_t copy = std::size_t(index / channels) % copies;
                    ++counts[copy][std::size_t(channel) * levels + (words[std::size_t(w)] >> (8 * b) & 0xffu)];
                }
        }
        for (; x < count; ++x, pixels += channels)
            for (int c = 0; c < channels; ++c)
                ++counts[0][std::size_t(c) * levels + pixels[c]];
    }

    void flush() {
        for (std::size_t i = 0; i < recent_.size(); ++i)
            totals_[i % totals_.size()] += recent_[i];
        std::fill(recent_.begin(), recent_.end(), 0u);
        const auto total = [&](std::size_t c, std::size_t level) -> auto & { return totals_[c * levels + level]; };
        if (planes_)
            planes_->addTo(total);
        if (pairs_)
            pairs_->addTo(
                int(counters_), [&](int c, int level) -> auto & { return total(std::size_t(c), std::size_t(level)); });
        counted_ = 0;
    }

    int channels_;
    std::size_t counters_;
    std::vector<std::uint32_t> recent_;
    std::vector<std::uint64_t> totals_;
    std::uint64_t counted_ = 0, seen_ = 0; // pixels since the last flush, and in all
    std::optional<PlaneCounter> planes_;
    std::unique_ptr<PairCounter> pairs_; // from the first pairs on
    int withoutPairs_ = 0;               // so many times two rows more
    int rowsWithoutPairs_ = leastRowsWithoutPairs;
};

} // namespace tessera
