#include "app/bench/report.h"

#include <algorithm>

namespace tessera::bench {

namespace {

template <class Choose> void take(std::optional<int> &kept, const std::optional<int> &other, Choose choose) {
    if (other)
        kept = kept ? choose(*kept, *other) : *other;
}

int smaller(int a, int b) { return std::min(a, b); }
int larger(int a, int b) { return std::max(a, b); }

} // namespace

void ClockRecord::merge(const ClockRecord &other) {
    take(lowestMhz, other.lowestMhz, smaller);
    take(highestMhz, other.highestMhz, larger);
    take(memoryMhz, other.memoryMhz, larger);
    take(temperature, other.temperature, larger);
    for (const std::string &reason : other.throttling)
        if (std::ranges::find(throttling, reason) == throttling.end())
            throttling.push_back(reason);
}

std::optional<double> Row::share() const {
    if (!floor || !ranked() || time.median <= 0)
        return std::nullopt;
    return floor->ms / time.median;
}

std::optional<double> Row::operationsPerSecond() const {
    if (!work.dense || !ranked() || time.median <= 0)
        return std::nullopt;
    return 1e3 * work.operations / time.median;
}

const DeviceReport *Report::deviceReport(std::string_view id) const {
    if (device.id == id)
        return &device;
    if (host && host->id == id)
        return &*host;
    const auto found = std::ranges::find(others, id, &DeviceReport::id);
    return found == others.end() ? nullptr : &*found;
}

void rankRows(std::span<Row> rows) {
    for (Row &row : rows) {
        row.tieWith.clear();
        row.rank = row.ranked() ? 1 : 0;
        if (!row.ranked())
            continue;
        for (const Row &other : rows) {
            if (&other == &row || !other.ranked() || other.key != row.key)
                continue;
            if (!apart(row.time.interval, other.time.interval))
                row.tieWith.push_back(other.device == row.device ? other.variant : other.variant + "@" + other.device);
            else if (other.time.interval.high < row.time.interval.low)
                ++row.rank;
        }
    }
}

} // namespace tessera::bench
