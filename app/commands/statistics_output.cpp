#include "app/commands/statistics_output.h"

#include "app/commands/table.h"
#include "app/commands/text.h"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr std::size_t histogramCells = 64;

std::vector<std::uint64_t> foldedTo(const std::vector<std::uint64_t> &histogram, std::size_t cells) {
    std::vector<std::uint64_t> folded(std::min(cells, histogram.size()), 0);
    for (std::size_t bin = 0; bin < histogram.size(); ++bin)
        folded[bin * folded.size() / histogram.size()] += histogram[bin];
    return folded;
}

// Eight heights a cell. Anything that is there shows at least the lowest, so that a few pixels are not hidden.
std::string drawn(const std::vector<std::uint64_t> &histogram) {
    static constexpr const char *heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const std::vector<std::uint64_t> folded = foldedTo(histogram, histogramCells);
    const std::uint64_t highest = folded.empty() ? 0 : *std::max_element(folded.begin(), folded.end());
    std::string line;
    for (const std::uint64_t count : folded) {
        const double share = highest == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(highest);
        line += heights[count == 0 ? 0 : std::max(1, static_cast<int>(std::lround(share * 8.0)))];
    }
    return line;
}

} // namespace

Json statisticsJson(const ImageStatistics &statistics, Histograms histograms) {
    Json channels = Json::array();
    for (const ChannelStatistics &channel : statistics.channels) {
        Json entry;
        entry["name"] = channel.name;
        entry["count"] = channel.count;
        // Of no values there is no least one and no mean.
        const auto figure = [&](double value) { return channel.count > 0 ? jsonNumber(value) : Json(nullptr); };
        entry["minimum"] = figure(channel.minimum);
        entry["maximum"] = figure(channel.maximum);
        entry["mean"] = figure(channel.mean);
        entry["standard_deviation"] = figure(channel.standardDeviation);
        entry["median"] = figure(channel.median);
        for (std::size_t i = 0; i < percentileRanks.size(); ++i)
            entry["percentiles"][std::to_string(percentileRanks[i])] = figure(channel.percentiles[i]);
        entry["entropy"] = figure(channel.entropy);
        entry["nan"] = channel.nan;
        entry["infinite"] = channel.infinite;
        entry["clipped_low"] = channel.clippedLow;
        entry["clipped_high"] = channel.clippedHigh;
        if (histograms == Histograms::Include) {
            entry["histogram"]["low"] = figure(channel.histogramLow);
            entry["histogram"]["high"] = figure(channel.histogramHigh);
            entry["histogram"]["counts"] = channel.histogram;
        }
        channels.push_back(std::move(entry));
    }
    return channels;
}

std::string statisticsTable(const ImageStatistics &statistics) {
    using enum TextTable::Align;
    TextTable numbers({{"CHANNEL"},
                       {"MIN", Right},
                       {"MAX", Right},
                       {"MEAN", Right},
                       {"STD DEV", Right},
                       {"P1", Right},
                       {"P5", Right},
                       {"P25", Right},
                       {"MEDIAN", Right},
                       {"P75", Right},
                       {"P95", Right},
                       {"P99", Right},
                       {"ENTROPY", Right},
                       {"CLIPPED", Right},
                       {"NAN", Right},
                       {"INF", Right}});
    TextTable histograms({{"CHANNEL"}, {"FROM", Right}, {"HISTOGRAM"}});
    for (const ChannelStatistics &channel : statistics.channels) {
        const auto figure = [&](double value, int digits = 6) {
            return channel.count > 0 ? shortNumber(value, digits) : std::string("none");
        };
        const auto &p = channel.percentiles;
        numbers.addRow({channel.name, figure(channel.minimum), figure(channel.maximum), figure(channel.mean),
                        figure(channel.standardDeviation), figure(p[0]), figure(p[1]), figure(p[2]),
                        figure(channel.median), figure(p[4]), figure(p[5]), figure(p[6]), figure(channel.entropy, 4),
                        std::to_string(channel.clippedLow) + "+" + std::to_string(channel.clippedHigh),
                        std::to_string(channel.nan), std::to_string(channel.infinite)});
        histograms.addRow({channel.name, figure(channel.histogramLow),
                           "|" + drawn(channel.histogram) + "| " + figure(channel.histogramHigh)});
    }
    return numbers.text(160) + "\n" + histograms.text();
}

} // namespace tessera
