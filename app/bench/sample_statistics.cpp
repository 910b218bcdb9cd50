#include "app/bench/sample_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tessera::bench {

double quantile(std::span<const double> sorted, double share) {
    const double place = share * double(sorted.size() - 1);
    const auto below = std::size_t(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - double(below)) * (sorted[above] - sorted[below]);
}

Interval medianInterval(std::span<const double> sorted) {
    const auto count = std::ptrdiff_t(sorted.size());
    const double half = 0.5 * 1.96 * std::sqrt(double(count)); // 1.96: 95 % of a normal distribution
    const auto low = std::ptrdiff_t(std::floor(double(count) / 2 - half)) - 1;
    const auto high = std::ptrdiff_t(std::ceil(double(count) / 2 + half));
    return {sorted[std::size_t(std::clamp<std::ptrdiff_t>(low, 0, count - 1))],
            sorted[std::size_t(std::clamp<std::ptrdiff_t>(high, 0, count - 1))]};
}

SampleSummary summarize(std::vector<double> samples, double resolution) {
    if (samples.empty())
        return {};
    std::ranges::sort(samples);
    SampleSummary summary;
    summary.samples = int(samples.size());
    summary.median = quantile(samples, 0.5);
    summary.p5 = quantile(samples, 0.05);
    summary.p95 = quantile(samples, 0.95);
    summary.interval = medianInterval(samples);
    summary.interval.low = std::min(summary.interval.low, summary.median - resolution / 2);
    summary.interval.high = std::max(summary.interval.high, summary.median + resolution / 2);
    return summary;
}

bool StoppingRule::enough(std::span<const double> taken, double resolution) const {
    if (int(taken.size()) < samples)
        return false;
    if (int(taken.size()) >= samples * mostTimes)
        return true;
    const SampleSummary summary = summarize({taken.begin(), taken.end()});
    return summary.interval.width() <= std::max(tightness * summary.median, resolution);
}

bool StoppingRule::exhausted(int taken, double spentMs) const {
    return taken >= std::min(least, samples) && spentMs >= budgetMs;
}

} // namespace tessera::bench
