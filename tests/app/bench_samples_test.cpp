// What is made of samples: medians, their intervals, when there are enough, ranks and ties, floors.
#include "app/bench/ceilings.h"
#include "app/bench/report.h"
#include "app/bench/sample_statistics.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace tessera;
using namespace tessera::bench;

namespace {

std::vector<double> oneTo(int last) {
    std::vector<double> values(std::size_t(last), 0.0);
    std::iota(values.begin(), values.end(), 1.0);
    return values;
}

Row rowWith(const std::string &variant, double low, double median, double high) {
    Row row;
    row.variant = variant;
    row.device = "cpu";
    row.time = {100, median, low, high, {low, high}};
    return row;
}

} // namespace

class BenchSamplesTest : public QObject {
    Q_OBJECT

private slots:
    void quantilesLieBetweenSamplesInProportion() {
        const std::vector<double> values{1, 2, 4, 8};
        QCOMPARE(quantile(values, 0), 1.0);
        QCOMPARE(quantile(values, 1), 8.0);
        QCOMPARE(quantile(values, 0.5), 3.0);
        QCOMPARE(quantile(values, 0.25), 1.75);
        QCOMPARE(quantile(std::vector<double>{5}, 0.95), 5.0);
    }

    // Ranks 40 and 61 of 100 by the binomial's normal approximation, as tables of the sign test have them.
    void theMediansIntervalIsThatOfTables() {
        const Interval interval = medianInterval(oneTo(100));
        QCOMPARE(interval.low, 40.0);
        QCOMPARE(interval.high, 61.0);
        const Interval few = medianInterval(oneTo(5));
        QCOMPARE(few.low, 1.0);
        QCOMPARE(few.high, 5.0);
        QCOMPARE(medianInterval(std::vector<double>{3}), (Interval{3, 3}));
    }

    // Whatever the distribution: of many sets of samples about 95 in 100 hold the true median.
    void theIntervalHoldsTheMedianAsOftenAsItSays() {
        std::mt19937 random(7);
        std::lognormal_distribution<double> skewed(0.0, 1.0); // true median 1
        int held = 0;
        constexpr int trials = 2000;
        for (int trial = 0; trial < trials; ++trial) {
            std::vector<double> samples(60);
            for (double &sample : samples)
                sample = skewed(random);
            const SampleSummary summary = summarize(samples);
            held += summary.interval.low <= 1.0 && 1.0 <= summary.interval.high;
        }
        QVERIFY2(held > 0.93 * trials && held < 0.99 * trials, qPrintable(QString::number(held)));
    }

    void summaryNeedsNoOrderAndHonoursTheClock() {
        std::vector<double> samples = oneTo(100);
        std::ranges::reverse(samples);
        const SampleSummary summary = summarize(samples);
        QCOMPARE(summary.samples, 100);
        QCOMPARE(summary.median, 50.5);
        QCOMPARE(summary.p5, 5.95);
        QCOMPARE(summary.p95, 95.05);
        const SampleSummary constant = summarize(std::vector<double>(20, 2.0), 0.5);
        QCOMPARE(constant.interval, (Interval{1.75, 2.25})); // the clock cannot tell more
        QCOMPARE(summarize({}).samples, 0);
    }

    void samplingStopsWhenTheMedianIsSure() {
        StoppingRule rule;
        rule.samples = 20;
        QVERIFY(!rule.enough(std::vector<double>(19, 1.0), 0));
        QVERIFY(rule.enough(std::vector<double>(20, 1.0), 0));
        std::vector<double> wide; // half of them twice as long
        for (int i = 0; i < 40; ++i)
            wide.push_back(i % 2 ? 1.0 : 2.0);
        QVERIFY(!rule.enough(wide, 0));
        QVERIFY(rule.enough(wide, 1.5)); // coarser than the spread: more samples would tell nothing
        while (int(wide.size()) < rule.samples * rule.mostTimes)
            wide.push_back(wide.size() % 2 ? 1.0 : 2.0);
        QVERIFY(rule.enough(wide, 0)); // never for ever
    }

    void theBudgetLeavesTheFewestSamples() {
        StoppingRule rule;
        rule.samples = 100;
        rule.least = 5;
        rule.budgetMs = 50;
        QVERIFY(!rule.exhausted(4, 1000));
        QVERIFY(rule.exhausted(5, 50));
        QVERIFY(!rule.exhausted(99, 49));
        rule.samples = 2; // fewer asked for than `least`
        QVERIFY(rule.exhausted(2, 50));
    }

    void ranksOnlyWhereIntervalsAreApart() {
        std::vector<Row> rows{rowWith("slow", 30, 31, 32), rowWith("a", 10, 11, 12), rowWith("b", 11.5, 13, 14),
                              rowWith("c", 13.5, 15, 16)};
        rankRows(rows);
        QCOMPARE(rows[1].rank, 1);
        QCOMPARE(rows[1].tieWith, std::vector<std::string>{"b"});
        QCOMPARE(rows[2].rank, 1); // nobody is faster for certain
        QCOMPARE(rows[2].tieWith, (std::vector<std::string>{"a", "c"}));
        QCOMPARE(rows[3].rank, 2); // a is, b is not
        QCOMPARE(rows[0].rank, 4);
        QVERIFY(rows[0].tieWith.empty());
    }

    void ranksStayWithinAContestAndLeaveFailuresOut() {
        std::vector<Row> rows{rowWith("a", 1, 1, 1), rowWith("b", 1, 1, 1), rowWith("c", 2, 2, 2)};
        rows[1].key.cache = CacheState::Hot;
        rows[2].failure = "wrong";
        rankRows(rows);
        QVERIFY(rows[0].tieWith.empty());
        QCOMPARE(rows[1].rank, 1);
        QCOMPARE(rows[2].rank, 0);
        QVERIFY(!rows[2].share());
    }

    void copyRatesAreInterpolated() {
        DeviceCeilings ceilings;
        ceilings.cold = {{100, 10}, {10000, 30}};
        QCOMPARE(*ceilings.copyRate(1, CacheState::Cold), 10.0);
        QCOMPARE(*ceilings.copyRate(1000, CacheState::Cold), 20.0); // half way by the logarithm
        QCOMPARE(*ceilings.copyRate(1e9, CacheState::Cold), 30.0);
        QCOMPARE(*ceilings.copyRate(1000, CacheState::Hot), 20.0); // nothing hot was measured
        ceilings.hot = {{100, 99}};
        QCOMPARE(*ceilings.copyRate(1000, CacheState::Hot), 99.0);
        QVERIFY(!DeviceCeilings().copyRate(1, CacheState::Cold));
    }

    void theFloorIsTheLargestThatApplies() {
        DeviceCeilings ceilings;
        ceilings.cold = {{1, 1e9}};
        ceilings.fp32 = 1e12;
        ceilings.half2 = 2e12;
        Work work;
        work.bytes = 1e6; // 1 ms
        work.operations = 3e9;
        QCOMPARE(floorOf(work, ceilings, CacheState::Cold)->ms, 3.0);
        work.unit = model::ArithmeticUnit::Half2;
        QCOMPARE(floorOf(work, ceilings, CacheState::Cold)->ms, 1.5);
        work.dense = false; // held against memory alone
        QCOMPARE(floorOf(work, ceilings, CacheState::Cold)->ms, 1.0);
        work.dense = true;
        work.unit = model::ArithmeticUnit::Tensor;
        QVERIFY(!floorOf(work, ceilings, CacheState::Cold)); // nobody measured it
        work.unit = model::ArithmeticUnit::Fp32;
        work.uploadBytes = 5e5;
        work.downloadBytes = 1e6;
        QVERIFY(!floorOf(work, ceilings, CacheState::Cold));
        ceilings.upload = ceilings.download = 1e8;
        QCOMPARE(floorOf(work, ceilings, CacheState::Cold)->ms, 10.0);
    }
};

QTEST_APPLESS_MAIN(BenchSamplesTest)
#include "bench_samples_test.moc"
