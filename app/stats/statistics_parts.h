// The two ways to the statistics, by depth.
#pragma once

#include "app/stats/statistics.h"

namespace tessera {

// The place of a percentile among n sorted values: v[index] + fraction * (v[index + 1] - v[index]).
struct PercentilePlace {
    std::uint64_t index;
    double fraction;
};

// n >= 1. In whole numbers, as rank * (n - 1) / 100 in double would lose places in large pictures.
inline PercentilePlace percentilePlace(int rank, std::uint64_t n) {
    const std::uint64_t whole = (n - 1) / 100 * std::uint64_t(rank), rest = (n - 1) % 100 * std::uint64_t(rank);
    return {whole + rest / 100, double(rest % 100) / 100.0};
}

// Bits of -sum p log2 p.
double entropyOf(const std::vector<std::uint64_t> &histogram, std::uint64_t count);

// Everything else of a channel of integers follows from its histogram. pixels = the histogram's sum.
void summarizeLevels(ChannelStatistics &channel, std::uint64_t pixels);

// Both fill `channels`, whose names are set.
void computeLevelStatistics(const ConstPixelView &picture, const RunControl &control,
                            std::vector<ChannelStatistics> &channels);
void computeFloatStatistics(const ConstPixelView &picture, const RunControl &control,
                            std::vector<ChannelStatistics> &channels);

} // namespace tessera
