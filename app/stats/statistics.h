// Exact statistics and histograms of a picture, per channel and of luminance.
#pragma once

#include "app/core/run_control.h"
#include "app/image/image.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct ChannelStatistics {
    std::string name; // "R", "G", "B", "A", "Grey", "Luminance"
    std::uint64_t count = 0; // finite values
    double minimum = 0, maximum = 0, mean = 0, standardDeviation = 0; // population deviation; sums in double
    double median = 0;
    std::array<double, 7> percentiles{}; // 1, 5, 25, 50, 75, 95, 99, from the histogram
    double entropy = 0;                  // bits, of the histogram
    std::uint64_t nan = 0, infinite = 0;
    std::uint64_t clippedLow = 0, clippedHigh = 0; // values at or beyond the ends of the nominal range
    std::vector<std::uint64_t> histogram; // counts; for finite values their sum is `count`
    double histogramLow = 0, histogramHigh = 0; // values of the first bin's lower and the last bin's upper edge
};

struct ImageStatistics {
    std::vector<ChannelStatistics> channels; // colours, alpha where there is one, then luminance (colour pictures)
    std::uint64_t pixels = 0;
};

inline constexpr std::array<int, 7> percentileRanks{1, 5, 25, 50, 75, 95, 99};

// 8-bit: 256 bins, 16-bit: 65,536, one a level. Float: 4,096 bins over the finite minimum..maximum of the colours.
// Luminance: Rec. 709 weights 0.2126, 0.7152, 0.0722 of the stored values, rounded to the nearest level for integers.
ImageStatistics computeStatistics(const ConstPixelView &picture, const RunControl &control = {});

} // namespace tessera
