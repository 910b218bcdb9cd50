// Integer pictures: count each level once, then everything follows from the counts.
#include "app/stats/level_counter.h"
#include "app/stats/parallel_bands.h"
#include "app/stats/statistics_parts.h"

#include <cmath>
#include <limits>

namespace tessera {

namespace {

__extension__ using Wide = unsigned __int128;

template <class T>
void countLevels(const ConstPixelView &picture, const RunControl &control, std::vector<ChannelStatistics> &results) {
    const int workers = workersFor(picture.width, picture.height);
    std::vector<LevelCounter<T>> counters;
    for (int worker = 0; worker < workers; ++worker)
        counters.emplace_back(picture.format);
    forEachBand(picture.height, 64, workers, control, [&](int worker, int first, int end) {
        counters[std::size_t(worker)].count(picture.part({0, first, picture.width, end - first}));
    });
    for (ChannelStatistics &channel : results)
        channel.histogram.assign(LevelCounter<T>::levels, 0);
    for (LevelCounter<T> &counter : counters)
        counter.addTo([&](std::size_t c) -> auto & { return results[c].histogram; });
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

} // namespace

void summarizeLevels(ChannelStatistics &channel, std::uint64_t pixels) {
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

void computeLevelStatistics(const ConstPixelView &picture, const RunControl &control,
                            std::vector<ChannelStatistics> &channels) {
    if (picture.format.depth == Depth::U8)
        countLevels<std::uint8_t>(picture, control, channels);
    else
        countLevels<std::uint16_t>(picture, control, channels);
    for (ChannelStatistics &channel : channels)
        summarizeLevels(channel, std::uint64_t(picture.width) * std::uint64_t(picture.height));
}

void mergeLevelStatistics(ImageStatistics &whole, const ImageStatistics &part) {
    whole.pixels += part.pixels;
    for (std::size_t c = 0; c < whole.channels.size(); ++c) {
        ChannelStatistics &channel = whole.channels[c];
        for (std::size_t level = 0; level < channel.histogram.size(); ++level)
            channel.histogram[level] += part.channels[c].histogram[level];
        summarizeLevels(channel, whole.pixels);
    }
}

} // namespace tessera
