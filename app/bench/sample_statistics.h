// What repeated timings of one thing tell: a median with the interval that it can be trusted to lie in, and when enough
// of them were taken. Pure arithmetic, in milliseconds.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tessera::bench {

// Where the true median lies with 95 % confidence.
struct Interval {
    double low = 0, high = 0;

    double width() const { return high - low; }
    friend bool operator==(const Interval &, const Interval &) = default;
};

// Whether nothing lies in both: only then is one faster than the other.
constexpr bool apart(const Interval &a, const Interval &b) { return a.high < b.low || b.high < a.low; }

struct SampleSummary {
    int samples = 0;
    double median = 0, p5 = 0, p95 = 0;
    Interval interval; // of the median
};

// Between two samples in proportion (Hyndman and Fan's type 7). `sorted` ascending, not empty; 0 <= share <= 1.
double quantile(std::span<const double> sorted, double share);

// By order statistics: the number of samples below the median is binomial, whatever the distribution, so that the
// samples at ranks n/2 -+ 0.98 sqrt(n) enclose it with 95 % confidence (Conover, Practical Nonparametric Statistics,
// 3.2). Fewer than six samples cannot give that: then it is all of them.
Interval medianInterval(std::span<const double> sorted);

// `resolution`: the smallest difference that the clock can tell; the interval is never narrower.
SampleSummary summarize(std::vector<double> samples, double resolution = 0);

// Sampling goes on until the median's interval is tight or a limit is met.
struct StoppingRule {
    int samples = 100;        // at least, where the budget allows
    int least = 5;            // whatever the budget
    double tightness = 0.005; // of the median
    int mostTimes = 5;        // never more than this many times `samples`
    double budgetMs = 5'000;  // for one contender, waiting included

    bool enough(std::span<const double> taken, double resolution) const;
    bool exhausted(int taken, double spentMs) const;
};

} // namespace tessera::bench
