#include "app/stats/statistics.h"

#include "app/core/compensated_sum.h"
#include "app/stats/channel_rows.h"
#include "app/stats/statistics_parts.h"

#include <cmath>

namespace tessera {

double entropyOf(const std::vector<std::uint64_t> &histogram, std::uint64_t count) {
    CompensatedSum entropy;
    for (std::uint64_t bin : histogram) {
        if (bin == 0)
            continue;
        const double share = double(bin) / double(count);
        entropy.add(-share * std::log2(share));
    }
    return std::abs(entropy.value()); // one full bin gives -0
}

ImageStatistics computeStatistics(const ConstPixelView &picture, const RunControl &control) {
    ImageStatistics statistics;
    statistics.pixels = std::uint64_t(picture.width) * std::uint64_t(picture.height);
    for (std::string &name : statisticsChannels(picture.format)) {
        statistics.channels.emplace_back();
        statistics.channels.back().name = std::move(name);
    }
    if (picture.format.depth == Depth::F32)
        computeFloatStatistics(picture, control, statistics.channels);
    else
        computeLevelStatistics(picture, control, statistics.channels);
    return statistics;
}

} // namespace tessera
