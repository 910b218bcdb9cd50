// Float pictures take up to three passes over the pixels: range and sums; deviations about the mean, the histogram and
// the upper halves of the values' bits; the lower halves of the bits around the percentiles.
#include "app/core/compensated_sum.h"
#include "app/stats/channel_rows.h"
#include "app/stats/parallel_bands.h"
#include "app/stats/statistics_parts.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tessera {

namespace {

constexpr std::size_t bins = 4096;
constexpr std::size_t halfKeys = 65'536;
constexpr int bandRows = 32;

// Orders as the floats do: negative values have all bits turned, positive ones the sign's. -0 counts as 0.
std::uint32_t orderedKey(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);
    return bits & 0x8000'0000u ? ~bits : bits | 0x8000'0000u;
}

float valueOfKey(std::uint32_t key) { return std::bit_cast<float>(key & 0x8000'0000u ? key & 0x7FFF'FFFFu : ~key); }

// First pass, one row of one channel.
struct RowSummary {
    double sum = 0;
    float minimum = std::numeric_limits<float>::infinity(), maximum = -std::numeric_limits<float>::infinity();
    std::uint64_t count = 0, nan = 0, infinite = 0, clippedLow = 0, clippedHigh = 0;

    explicit RowSummary(std::span<const float> values) {
        for (float value : values) {
            if (!std::isfinite(value)) {
                ++(std::isnan(value) ? nan : infinite);
                continue;
            }
            ++count;
            sum += double(value);
            minimum = std::min(minimum, value);
            maximum = std::max(maximum, value);
            clippedLow += value <= 0.0f;
            clippedHigh += value >= 1.0f;
        }
    }
    RowSummary() = default;
};

// Second pass, one row: sums of the deviations and of their squares.
struct RowDeviation {
    double sum = 0, squares = 0;
};

struct Range {
    double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();

    void include(const ChannelStatistics &channel) {
        if (channel.count == 0)
            return;
        low = std::min(low, channel.minimum);
        high = std::max(high, channel.maximum);
    }
    bool empty() const { return low > high; }
};

// Counts of one thread in the second and third pass.
struct Counts {
    std::vector<std::uint64_t> histogram;
    std::vector<std::uint64_t> keys;

    Counts(std::size_t histogramSize, std::size_t keySize) : histogram(histogramSize), keys(keySize) {}
};

void addInto(std::vector<std::uint64_t> &total, const std::vector<std::uint64_t> &part) {
    for (std::size_t i = 0; i < total.size(); ++i)
        total[i] += part[i];
}

// The statistics of one channel of one picture, pass after pass.
class FloatChannel {
public:
    FloatChannel(const ConstPixelView &picture, int channel, const RunControl &control, ChannelStatistics &result)
        : picture_(picture), channel_(channel), control_(control), result_(result),
          workers_(workersFor(picture.width, picture.height)),
          buffers_(std::size_t(workers_), std::vector<float>(std::size_t(picture.width))) {}

    void measureRange() {
        std::vector<RowSummary> rows(std::size_t(picture_.height));
        forEachRow([&](int, int y, std::span<const float> values) { rows[std::size_t(y)] = RowSummary(values); });
        CompensatedSum sum;
        RowSummary all;
        for (const RowSummary &row : rows) {
            sum.add(row.sum);
            all.minimum = std::min(all.minimum, row.minimum);
            all.maximum = std::max(all.maximum, row.maximum);
            result_.count += row.count;
            result_.nan += row.nan;
            result_.infinite += row.infinite;
            result_.clippedLow += row.clippedLow;
            result_.clippedHigh += row.clippedHigh;
        }
        if (result_.count == 0)
            return;
        result_.minimum = double(all.minimum + 0.0f);
        result_.maximum = double(all.maximum + 0.0f);
        result_.mean = sum.value() / double(result_.count);
    }

    void measureDistribution(const Range &range) {
        result_.histogram.assign(bins, 0);
        result_.histogramLow = range.empty() ? 0.0 : range.low;
        result_.histogramHigh = range.empty() ? 1.0 : range.high;
        if (result_.count == 0)
            return;
        std::vector<std::uint64_t> upperKeys(halfKeys, 0);
        countDistribution(upperKeys);
        result_.entropy = entropyOf(result_.histogram, result_.count);
        setPercentiles(upperKeys);
    }

private:
    template <class Work> void forEachRow(Work work) {
        forEachBand(picture_.height, bandRows, workers_, control_, [&](int worker, int first, int end) {
            std::vector<float> &buffer = buffers_[std::size_t(worker)];
            for (int y = first; y < end; ++y) {
                readFloatChannel(picture_, y, channel_, buffer);
                work(worker, y, std::span<const float>(buffer));
            }
        });
    }

    void countDistribution(std::vector<std::uint64_t> &upperKeys) {
        std::vector<Counts> counts(std::size_t(workers_), Counts(bins, halfKeys));
        std::vector<RowDeviation> rows(std::size_t(picture_.height));
        const double low = result_.histogramLow, span = result_.histogramHigh - low, mean = result_.mean;
        const double binsPerUnit = span > 0.0 ? double(bins) / span : 0.0;
        forEachRow([&](int worker, int y, std::span<const float> values) {
            Counts &own = counts[std::size_t(worker)];
            RowDeviation &row = rows[std::size_t(y)];
            for (float value : values) {
                if (!std::isfinite(value))
                    continue;
                const double deviation = double(value) - mean;
                row.sum += deviation;
                row.squares += deviation * deviation;
                // The maximum falls on the last bin's upper edge; luminance may pass the ends by a rounding.
                const double bin = std::clamp((double(value) - low) * binsPerUnit, 0.0, double(bins - 1));
                ++own.histogram[std::size_t(bin)];
                ++own.keys[orderedKey(value) >> 16];
            }
        });
        for (const Counts &own : counts) {
            addInto(result_.histogram, own.histogram);
            addInto(upperKeys, own.keys);
        }
        setDeviation(rows);
    }

    // The corrected two-pass formula: the sum of the deviations, 0 but for the mean's rounding, takes that out.
    void setDeviation(const std::vector<RowDeviation> &rows) {
        CompensatedSum sum, squares;
        for (const RowDeviation &row : rows) {
            sum.add(row.sum);
            squares.add(row.squares);
        }
        const double n = double(result_.count);
        const double variance = (squares.value() - sum.value() * sum.value() / n) / n;
        result_.standardDeviation = std::sqrt(std::max(variance, 0.0));
    }

    // Where a place among the sorted values lies: the upper half of its key, and its place among those that share it.
    struct Sought {
        std::size_t upper = 0;
        std::uint64_t within = 0;
    };

    static Sought locate(const std::vector<std::uint64_t> &upperKeys, std::uint64_t index) {
        std::size_t upper = 0;
        while (index >= upperKeys[upper])
            index -= upperKeys[upper++];
        return {upper, index};
    }

    // Counts the lower halves of the keys whose upper half is one of `groups` (at most 14, sorted).
    std::vector<std::uint64_t> countLowerKeys(const std::vector<std::size_t> &groups) {
        constexpr std::uint8_t none = 255;
        std::vector<std::uint8_t> groupOf(halfKeys, none);
        for (std::size_t i = 0; i < groups.size(); ++i)
            groupOf[groups[i]] = static_cast<std::uint8_t>(i);
        std::vector<Counts> counts(std::size_t(workers_), Counts(0, groups.size() * halfKeys));
        forEachRow([&](int worker, int, std::span<const float> values) {
            std::vector<std::uint64_t> &keys = counts[std::size_t(worker)].keys;
            for (float value : values) {
                const std::uint32_t key = orderedKey(value);
                const std::size_t group = groupOf[key >> 16];
                if (group != none && std::isfinite(value))
                    ++keys[group * halfKeys + (key & 0xFFFFu)];
            }
        });
        std::vector<std::uint64_t> total(groups.size() * halfKeys, 0);
        for (const Counts &own : counts)
            addInto(total, own.keys);
        return total;
    }

    void setPercentiles(const std::vector<std::uint64_t> &upperKeys) {
        std::vector<Sought> sought; // two a percentile: the value at its place and the next one
        std::vector<std::size_t> groups;
        for (int rank : percentileRanks) {
            const PercentilePlace place = percentilePlace(rank, result_.count);
            sought.push_back(locate(upperKeys, place.index));
            sought.push_back(place.fraction > 0.0 ? locate(upperKeys, place.index + 1) : sought.back());
        }
        for (const Sought &one : sought)
            if (groups.empty() || groups.back() != one.upper)
                groups.push_back(one.upper);
        std::sort(groups.begin(), groups.end());
        groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
        const std::vector<std::uint64_t> lower = countLowerKeys(groups);
        const auto valueOf = [&](const Sought &one) {
            const auto group = std::size_t(std::lower_bound(groups.begin(), groups.end(), one.upper) - groups.begin());
            std::size_t key = 0;
            for (std::uint64_t left = one.within; left >= lower[group * halfKeys + key]; ++key)
                left -= lower[group * halfKeys + key];
            return double(valueOfKey(std::uint32_t(one.upper << 16 | key)));
        };
        for (std::size_t i = 0; i < percentileRanks.size(); ++i) {
            const double low = valueOf(sought[2 * i]), high = valueOf(sought[2 * i + 1]);
            const double fraction = percentilePlace(percentileRanks[i], result_.count).fraction;
            result_.percentiles[i] = low + fraction * (high - low);
        }
        result_.median = result_.percentiles[3];
    }

    const ConstPixelView &picture_;
    int channel_;
    const RunControl &control_;
    ChannelStatistics &result_;
    int workers_;
    std::vector<std::vector<float>> buffers_;
};

} // namespace

void computeFloatStatistics(const ConstPixelView &picture, const RunControl &control,
                            std::vector<ChannelStatistics> &channels) {
    std::vector<FloatChannel> passes;
    for (std::size_t c = 0; c < channels.size(); ++c)
        passes.emplace_back(picture, int(c), control, channels[c]);
    Range colours, alpha;
    for (std::size_t c = 0; c < channels.size(); ++c) {
        passes[c].measureRange();
        const bool isAlpha = picture.format.hasAlpha() && int(c) == picture.format.channels - 1;
        if (isAlpha)
            alpha.include(channels[c]);
        else if (int(c) < picture.format.channels)
            colours.include(channels[c]);
    }
    for (std::size_t c = 0; c < channels.size(); ++c) {
        const bool isAlpha = picture.format.hasAlpha() && int(c) == picture.format.channels - 1;
        passes[c].measureDistribution(isAlpha ? alpha : colours);
    }
}

} // namespace tessera
