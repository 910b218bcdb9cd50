// Exact statistics and histograms of a picture, per channel and of luminance.
//
// Integer pictures: everything follows from the counts of each level, in whole numbers; mean and deviation are rounded
// once. Float pictures: sums are compensated, the deviation takes a second pass about the mean, percentiles are found
// by the bits of the values and are exact as well. The results do not depend on the number of threads.
#pragma once

#include "app/core/run_control.h"
#include "app/image/image.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct ChannelStatistics {
    std::string name;                                                 // "R", "G", "B", "A", "Grey", "Luminance"
    std::uint64_t count = 0;                                          // finite values; of none all below is 0
    double minimum = 0, maximum = 0, mean = 0, standardDeviation = 0; // population deviation; sums in double
    double median = 0;
    // 1, 5, 25, 50, 75, 95, 99, exact: of the sorted finite values v[0..n-1], the value at place p/100 * (n-1), between
    // two of them in proportion (Hyndman and Fan's type 7, the usual default).
    std::array<double, 7> percentiles{};
    double entropy = 0; // bits, of the histogram
    std::uint64_t nan = 0, infinite = 0;
    std::uint64_t clippedLow = 0, clippedHigh = 0; // finite values at or beyond the ends of the nominal range
    std::vector<std::uint64_t> histogram;          // counts; for finite values their sum is `count`
    // Values of the first bin's lower and the last bin's upper edge: -0.5 and 255.5 for 8 bits, so that a bin's middle
    // is its level; equal where a float picture is of one value, which then lies in the first bin.
    double histogramLow = 0, histogramHigh = 0;

    friend bool operator==(const ChannelStatistics &, const ChannelStatistics &) = default;
};

struct ImageStatistics {
    std::vector<ChannelStatistics> channels; // colours, alpha where there is one, then luminance (colour pictures)
    std::uint64_t pixels = 0;

    friend bool operator==(const ImageStatistics &, const ImageStatistics &) = default;
};

inline constexpr std::array<int, 7> percentileRanks{1, 5, 25, 50, 75, 95, 99};

// 8-bit: 256 bins, 16-bit: 65,536, one a level. Float: 4,096 bins over the finite minimum..maximum of the colours,
// which luminance shares; alpha has its own. Luminance: Rec. 709 weights 0.2126, 0.7152, 0.0722 of the stored values,
// rounded to the nearest level for integers (ties to even) and to float for float. It is NaN where a colour is. Throws
// Error{Cancelled} once control asks to stop.
ImageStatistics computeStatistics(const ConstPixelView &picture, const RunControl &control = {});

// Adds those of another part of the same picture: what computeStatistics() gives for both parts as one. For integer
// pictures, of which everything follows from the counts.
void mergeLevelStatistics(ImageStatistics &whole, const ImageStatistics &part);

} // namespace tessera
