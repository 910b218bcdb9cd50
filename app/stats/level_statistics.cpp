// Integer pictures: count each level once, then everything follows from the counts.
#include "app/stats/channel_rows.h"
#include "app/stats/parallel_bands.h"
#include "app/stats/statistics_parts.h"

#include <cmath>
#include <limits>

namespace tessera {

namespace {

__extension__ using Wide = unsigned __int128;

// Counts of one thread: [copy][channel][level]. Neighbouring pixels are often equal, and incrementing one counter twice
// in a row waits for the store; so they go to different copies. 16-bit counts are too large to be copied.
template <class T> class LevelCounter {
public:
    static constexpr std::size_t levels = std::size_t(std::numeric_limits<T>::max()) + 1;
    static constexpr int copies = sizeof(T) == 1 ? 4 : 1;

    explicit LevelCounter(int counters)
        : counters_(std::size_t(counters)), recent_(copies * counters_ * levels), totals_(counters_ * levels) {}

    template <int channels> void countRows(const ConstPixelView &picture, int first, int end) {
        for (int y = first; y < end; ++y) {
            countRow<channels>(picture.row<T>(y), picture.width);
            counted_ += std::uint64_t(picture.width);
            if (counted_ > flushAfter)
                flush();
        }
    }

    void addTo(std::vector<ChannelStatistics> &channels) {
        flush();
        for (std::size_t c = 0; c < counters_; ++c)
            for (std::size_t level = 0; level < levels; ++level)
                channels[c].histogram[level] += totals_[c * levels + level];
    }

private:
    static constexpr std::uint64_t flushAfter = std::uint64_t(1) << 30; // 32-bit counters must not run over

    template <int channels> void countRow(const T *pixel, int width) {
        constexpr std::size_t copyStride = std::size_t(channels + (channels >= 3 ? 1 : 0)) * levels;
        for (int x = 0; x < width; ++x, pixel += channels) {
            std::uint32_t *counts = recent_.data() + std::size_t(x % copies) * copyStride;
            for (int c = 0; c < channels; ++c)
                ++counts[std::size_t(c) * levels + pixel[c]];
            if constexpr (channels >= 3)
                ++counts[std::size_t(channels) * levels + lumaLevel(pixel[0], pixel[1], pixel[2])];
        }
    }

    void flush() {
        for (std::size_t i = 0; i < recent_.size(); ++i)
            totals_[i % totals_.size()] += recent_[i];
        std::fill(recent_.begin(), recent_.end(), 0u);
        counted_ = 0;
    }

    std::size_t counters_;
    std::vector<std::uint32_t> recent_;
    std::vector<std::uint64_t> totals_;
    std::uint64_t counted_ = 0;
};

template <class T, int channels>
void countLevels(const ConstPixelView &picture, const RunControl &control, std::vector<ChannelStatistics> &results) {
    const int workers = workersFor(picture.width, picture.height);
    std::vector<LevelCounter<T>> counters(std::size_t(workers), LevelCounter<T>(int(results.size())));
    forEachBand(picture.height, 64, workers, control, [&](int worker, int first, int end) {
        counters[std::size_t(worker)].template countRows<channels>(picture, first, end);
    });
    for (ChannelStatistics &channel : results)
        channel.histogram.assign(LevelCounter<T>::levels, 0);
    for (LevelCounter<T> &counter : counters)
        counter.addTo(results);
}

template <class T>
void countDepth(const ConstPixelView &picture, const RunControl &control, std::vector<ChannelStatistics> &results) {
    switch (picture.format.channels) {
    case 1:
        return countLevels<T, 1>(picture, control, results);
    case 2:
        return countLevels<T, 2>(picture, control, results);
    case 3:
        return countLevels<T, 3>(picture, control, results);
    default:
        return countLevels<T, 4>(picture, control, results);
    }
}

// Mean and deviation of whole numbers: sums and their difference are exact, the division alone rounds.
void setMoments(ChannelStatistics &channel) {
    Wide sum = 0, squares = 0;
    for (std::size_t level = 0; level < channel.histogram.size(); ++level) {
        const Wide weighted = Wide(channel.histogram[level]) * level;
        sum += weighted;
        squares += weighted * level;
    }
    const double n = double(channel.count);
    channel.mean = double(sum) / n;
    channel.standardDeviation = std::sqrt(double(squares * channel.count - sum * sum)) / n;
}

// All percentiles in one walk: their places rise.
void setPercentiles(ChannelStatistics &channel) {
    std::size_t level = 0;
    std::uint64_t upTo = channel.histogram[0]; // values in levels 0..level
    const auto valueAt = [&](std::uint64_t index) {
        while (upTo <= index)
            upTo += channel.histogram[++level];
        return double(level);
    };
    for (std::size_t i = 0; i < percentileRanks.size(); ++i) {
        const PercentilePlace place = percentilePlace(percentileRanks[i], channel.count);
        const double low = valueAt(place.index);
        // The next value is looked at from a copy of the walk, as the next percentile may start below it.
        const std::size_t levelBefore = level;
        const std::uint64_t upToBefore = upTo;
        const double high = place.fraction > 0.0 ? valueAt(place.index + 1) : low;
        level = levelBefore;
        upTo = upToBefore;
        channel.percentiles[i] = low + place.fraction * (high - low);
    }
    channel.median = channel.percentiles[3];
}

void summarize(ChannelStatistics &channel, std::uint64_t pixels) {
    const auto &histogram = channel.histogram;
    channel.count = pixels;
    channel.histogramLow = -0.5;
    channel.histogramHigh = double(histogram.size()) - 0.5;
    channel.clippedLow = histogram.front();
    channel.clippedHigh = histogram.back();
    if (pixels == 0)
        return;
    const auto occupied = [](std::uint64_t count) { return count > 0; };
    channel.minimum = double(std::find_if(histogram.begin(), histogram.end(), occupied) - histogram.begin());
    channel.maximum = double(histogram.rend() - std::find_if(histogram.rbegin(), histogram.rend(), occupied) - 1);
    channel.entropy = entropyOf(histogram, pixels);
    setMoments(channel);
    setPercentiles(channel);
}

} // namespace

void computeLevelStatistics(const ConstPixelView &picture, const RunControl &control,
                            std::vector<ChannelStatistics> &channels) {
    if (picture.format.depth == Depth::U8)
        countDepth<std::uint8_t>(picture, control, channels);
    else
        countDepth<std::uint16_t>(picture, control, channels);
    for (ChannelStatistics &channel : channels)
        summarize(channel, std::uint64_t(picture.width) * std::uint64_t(picture.height));
}

void mergeLevelStatistics(ImageStatistics &whole, const ImageStatistics &part) {
    whole.pixels += part.pixels;
    for (std::size_t c = 0; c < whole.channels.size(); ++c) {
        ChannelStatistics &channel = whole.channels[c];
        for (std::size_t level = 0; level < channel.histogram.size(); ++level)
            channel.histogram[level] += part.channels[c].histogram[level];
        summarize(channel, whole.pixels);
    }
}

} // namespace tessera
