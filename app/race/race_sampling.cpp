#include "app/race/race_sampling.h"

#include <algorithm>

namespace tessera {

namespace {

constexpr std::size_t shownSamples = 60; // enough to see drift and outliers

void keep(std::deque<double> &values, double value) {
    values.push_back(value);
    if (values.size() > RaceSamples::most)
        values.pop_front();
}

std::vector<double> copyOf(const std::deque<double> &values) { return {values.begin(), values.end()}; }

} // namespace

void RaceSamples::add(const RunTimes &times) {
    ++taken_;
    spentMs_ += times.totalMs;
    keep(total_, times.totalMs);
    if (times.kernelMs)
        keep(kernel_, *times.kernelMs);
    if (times.copyMs)
        keep(copy_, *times.copyMs);
}

void RaceSamples::show(RaceRow &row) const {
    row.samples = taken_;
    if (total_.empty())
        return;
    const std::vector<double> samples = copyOf(total_);
    const bench::SampleSummary summary = bench::summarize(samples);
    row.medianMs = summary.median;
    row.p5Ms = summary.p5;
    row.p95Ms = summary.p95;
    row.interval = summary.interval;
    const auto [fastest, slowest] = std::minmax_element(samples.begin(), samples.end());
    row.fastestMs = *fastest;
    row.slowestMs = *slowest;
    row.recent.assign(samples.end() - std::ptrdiff_t(std::min(shownSamples, samples.size())), samples.end());
    // Where only some runs told them apart, a median of those would not belong to the total's.
    if (kernel_.size() == total_.size())
        row.kernelMs = bench::summarize(copyOf(kernel_)).median;
    if (copy_.size() == total_.size())
        row.copyMs = bench::summarize(copyOf(copy_)).median;
}

} // namespace tessera
