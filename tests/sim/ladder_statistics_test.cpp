// Statistics by shuffles and ballots, and histograms in all their forms, against plain loops.
#include "gpu/kernels/histogram.h"
#include "gpu/kernels/lane_histogram.h"
#include "gpu/kernels/reduce.h"
#include "gpu/kernels/wide_histogram.h"
#include "tests/sim/ladder_support.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::sim;

namespace {

enum class Content { Random, Constant, Stripes };

template <class T, int N> struct Picture {
    using P = Pixel<T, N>;
    int width, height;
    std::ptrdiff_t pitch; // three pixels of padding
    std::vector<P> pixels;

    Picture(int w, int h, Content content)
        : width(w), height(h), pitch(std::ptrdiff_t(sizeof(P)) * (w + 3)), pixels(std::size_t(w + 3) * std::size_t(h)) {
        std::mt19937 random(51);
        for (std::size_t i = 0; i < pixels.size(); ++i)
            for (T &value : pixels[i].channel) {
                const unsigned level = content == Content::Random     ? unsigned(random())
                                       : content == Content::Constant ? 7u
                                                                      : unsigned(i / 10);
                value = std::is_same_v<T, float> ? T(int(level % 2001) - 1000) / T(500) : T(level);
            }
    }
    ImageView<const P> view() const { return {pixels.data(), width, height, pitch}; }
    const P &at(int x, int y) const { return pixels[std::size_t(y) * std::size_t(width + 3) + std::size_t(x)]; }

    template <class Function> void each(Function function) const {
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                function(at(x, y));
    }
};

const std::pair<int, int> sizes[] = {{1, 1}, {1, 40}, {40, 1}, {77, 13}, {600, 3}};
constexpr Content contents[] = {Content::Random, Content::Constant, Content::Stripes};

constexpr int blocks = 3;

template <class T, int N>
void compareTotals(const Picture<T, N> &picture, float threshold, const std::vector<ChannelTotals<T>> &partial) {
    for (int c = 0; c < N; ++c) {
        auto expected = ChannelTotals<T>::identity(), total = ChannelTotals<T>::identity();
        picture.each([&](const Pixel<T, N> &pixel) {
            expected.add(pixel.channel[c]);
            expected.above += float(pixel.channel[c]) > threshold;
        });
        for (int block = 0; block < blocks; ++block)
            total.merge(partial[std::size_t(block * N + c)]);
        QCOMPARE(total.above, expected.above);
        QCOMPARE(total.finite, expected.finite);
        QCOMPARE(total.nan, expected.nan);
        QCOMPARE(total.infinite, expected.infinite);
        QCOMPARE(total.clippedLow, expected.clippedLow);
        QCOMPARE(total.clippedHigh, expected.clippedHigh);
        QCOMPARE(total.minimum, expected.minimum);
        QCOMPARE(total.maximum, expected.maximum);
        const double scale = 1e-13 * (1.0 + double(expected.sumOfSquares));
        QVERIFY(std::abs(double(total.sum) - double(expected.sum)) <= (std::is_same_v<T, float> ? scale : 0.0));
        QVERIFY(std::abs(double(total.sumOfSquares) - double(expected.sumOfSquares)) <=
                (std::is_same_v<T, float> ? scale : 0.0));
    }
}

template <class T, int N> ImageView<ChannelTotals<T>> rows(std::vector<ChannelTotals<T>> &partial) {
    partial.resize(std::size_t(blocks * N));
    return {partial.data(), N, blocks, std::ptrdiff_t(sizeof(partial[0])) * N};
}

template <bool voting, class T, int N>
void statistics(const Picture<T, N> &picture, float threshold, ThreadOrder order) {
    std::vector<ChannelTotals<T>> partial;
    const auto target = rows<T, N>(partial);
    const auto run = [&](const auto &kernel) {
        const auto report = record(rowOfBlocks(blocks, 64, kernel.sharedBytes()), kernel, order);
        QCOMPARE(report.faultCount, 0u);
        compareTotals(picture, threshold, partial);
    };
    run(ReduceStatistics<Pixel<T, N>, voting>{picture.view(), target, threshold});
    if (picture.height == 1)
        run(ReduceStatistics<Pixel<T, N>, voting, true>{picture.view(), target, threshold});
}
template <class T, int N> void statistics(const Picture<T, N> &picture, float threshold, ThreadOrder order) {
    statistics<true>(picture, threshold, order);
    statistics<false>(picture, std::numeric_limits<float>::infinity(), order);
}

template <class T, int N> void statisticsOfSizes(float threshold) {
    for (const auto &[width, height] : sizes)
        for (const Content content : contents)
            for (const ThreadOrder order : allOrders)
                statistics(Picture<T, N>(width, height, content), threshold, order);
}

template <class P> std::vector<unsigned long long> zeroCounts() {
    return std::vector<unsigned long long>(std::size_t(Histogram<P>::bins) * Histogram<P>::rows, 0);
}
template <class P> ImageView<unsigned long long> countView(std::vector<unsigned long long> &counts) {
    constexpr int bins = Histogram<P>::bins;
    return {counts.data(), bins, Histogram<P>::rows, 8 * bins};
}

template <class T, int N> std::vector<unsigned long long> expectedCounts(const Picture<T, N> &picture) {
    constexpr int bins = Histogram<Pixel<T, N>>::bins;
    auto counts = zeroCounts<Pixel<T, N>>();
    picture.each([&](const Pixel<T, N> &pixel) {
        for (int c = 0; c < N; ++c)
            ++counts[std::size_t(c * bins + pixel.channel[c])];
        if constexpr (N == 4)
            ++counts[std::size_t(4 * bins) + luminanceLevel(pixel)];
    });
    return counts;
}

// Counters a lane, with and without the totals that follow from them; and the totals alone.
template <bool oneRow, int N> void laneHistogram(const Picture<std::uint8_t, N> &picture, ThreadOrder order) {
    using P = Pixel<std::uint8_t, N>;
    using Kernel = LaneHistogram<P, oneRow>;
    const float threshold = 6.5f;
    for (const bool wantCounts : {true, false})
        for (const bool wantTotals : {true, picture.width != 600}) {
            auto counts = zeroCounts<P>();
            std::vector<ChannelTotals<std::uint8_t>> partial;
            auto countTarget = countView<P>(counts);
            auto target = rows<std::uint8_t, N>(partial);
            if (!wantCounts)
                countTarget.data = nullptr;
            if (!wantTotals)
                target.data = nullptr;
            const auto report = record(rowOfBlocks(blocks, 64, Kernel::sharedBytes()),
                                       Kernel{picture.view(), countTarget, target, threshold}, order);
            QCOMPARE(report.faultCount, 0u);
            QVERIFY(counts == (wantCounts ? expectedCounts(picture) : zeroCounts<P>()));
            if (wantTotals)
                compareTotals(picture, threshold, partial);
        }
}

template <bool oneRow, int N> void wideHistogram(const Picture<std::uint16_t, N> &picture, ThreadOrder order) {
    using P = Pixel<std::uint16_t, N>;
    using Kernel = WideHistogram<P, oneRow>;
    constexpr int wideBlocks = Kernel::rows + 2; // two rows have two blocks each
    auto counts = zeroCounts<P>();
    std::vector<unsigned> partial(std::size_t(Kernel::words) * wideBlocks, 0xa5a5a5a5u);
    const std::ptrdiff_t pitch = 4 * Kernel::words;
    const auto report =
        record(rowOfBlocks(wideBlocks, 64, Kernel::sharedBytes()),
               Kernel{picture.view(), countView<P>(counts), {partial.data(), Kernel::words, wideBlocks, pitch}}, order);
    QCOMPARE(report.faultCount, 0u);
    LaunchPlan add = rowOfBlocks(Kernel::words / 256, 256);
    add.grid.y = Kernel::rows;
    const auto added = record(
        add, AddPartialCounts{{partial.data(), Kernel::words, wideBlocks, pitch}, countView<P>(counts), Kernel::rows},
        order);
    QCOMPARE(added.faultCount, 0u);
    QVERIFY(counts == expectedCounts(picture));
}

template <HistogramCounting counting, class T, int N>
SimulationReport histogram(const Picture<T, N> &picture, ThreadOrder order) {
    using Kernel = Histogram<Pixel<T, N>, counting>;
    auto counts = zeroCounts<Pixel<T, N>>();
    const auto report = record(rowOfBlocks(blocks, 64, Kernel::sharedBytes(64)),
                               Kernel{picture.view(), countView<Pixel<T, N>>(counts)}, order);
    if (counts != expectedCounts(picture))
        throw std::runtime_error("a histogram is wrong");
    return report;
}

template <class T, int N> void histogramsOfSizes() {
    for (const auto &[width, height] : sizes)
        for (const Content content : contents)
            for (const ThreadOrder order : allOrders) {
                const Picture<T, N> picture(width, height, content);
                QCOMPARE((histogram<HistogramCounting::Lanes>(picture, order).faultCount), 0u);
                QCOMPARE((histogram<HistogramCounting::Runs>(picture, order).faultCount), 0u);
            }
}

} // namespace

class LadderStatisticsTest : public QObject {
    Q_OBJECT

private slots:
    void statisticsAreExact() {
        statisticsOfSizes<std::uint8_t, 1>(100.0f);
        statisticsOfSizes<std::uint8_t, 4>(6.5f);
        statisticsOfSizes<std::uint16_t, 1>(40000.0f);
        statisticsOfSizes<std::uint16_t, 4>(7.0f);
        statisticsOfSizes<float, 1>(0.5f);
        statisticsOfSizes<float, 4>(-0.25f);
    }

    void statisticsOfSpecialValues() {
        Picture<float, 1> picture(70, 3, Content::Random);
        const float infinity = std::numeric_limits<float>::infinity();
        picture.pixels[5].channel[0] = std::numeric_limits<float>::quiet_NaN();
        picture.pixels[6].channel[0] = infinity;
        picture.pixels[80].channel[0] = -infinity;
        for (const float threshold : {0.0f, infinity, -infinity})
            for (const ThreadOrder order : allOrders)
                statistics(picture, threshold, order);
    }

    // B-5.4.1 again: one ballot a warp, channel and pixel, and no counter but the first lane's.
    void aboveIsCountedByBallot() {
        Picture<float, 1> picture(32, 1, Content::Constant);
        for (int i = 0; i < 32; ++i)
            picture.pixels[std::size_t(i)].channel[0] = float(i);
        using Kernel = ReduceStatistics<Pixel<float, 1>>;
        ChannelTotals<float> totals;
        const auto report = record(rowOfBlocks(1, 32, Kernel::sharedBytes()),
                                   Kernel{picture.view(), {&totals, 1, 1, sizeof(totals)}, 10.0f});
        QCOMPARE(totals.above, 21ull);
        QVERIFY(report.votes >= 1);
    }

    void histogramsAreExact() {
        histogramsOfSizes<std::uint8_t, 1>();
        histogramsOfSizes<std::uint8_t, 4>();
        histogramsOfSizes<std::uint16_t, 1>();
    }

    void laneHistogramsAreExact() {
        for (const auto &[width, height] : sizes)
            for (const Content content : contents) {
                const Picture<std::uint8_t, 1> grey(width, height, content);
                const Picture<std::uint8_t, 4> colour(width, height, content);
                laneHistogram<false>(grey, ThreadOrder::Forward);
                laneHistogram<false>(colour, ThreadOrder::Shuffled);
                if (height == 1) {
                    laneHistogram<true>(grey, ThreadOrder::Shuffled);
                    laneHistogram<true>(colour, ThreadOrder::Forward);
                }
            }
    }

    // Every lane counts in a bank of its own: no pass is added, whatever the picture.
    void lanesDoNotMeet() {
        for (const Content content : contents) {
            const Picture<std::uint8_t, 1> picture(1024, 4, content);
            using Kernel = LaneHistogram<Pixel<std::uint8_t, 1>>;
            auto counts = zeroCounts<Pixel<std::uint8_t, 1>>();
            const auto report = record(rowOfBlocks(1, 64, Kernel::sharedBytes()),
                                       Kernel{picture.view(), countView<Pixel<std::uint8_t, 1>>(counts), {}});
            QCOMPARE(report.total(AccessKind::SharedAtomic, &SiteCounts::accesses), 4096u);
            QCOMPARE(report.total(AccessKind::SharedAtomic, &SiteCounts::wavefronts),
                     report.total(AccessKind::SharedAtomic, &SiteCounts::leastWavefronts));
        }
    }

    void wideHistogramsAreExact() {
        for (const auto &[width, height] : sizes)
            for (const Content content : contents) {
                wideHistogram<false>(Picture<std::uint16_t, 1>(width, height, content), ThreadOrder::Forward);
                if (height == 1)
                    wideHistogram<true>(Picture<std::uint16_t, 1>(width, height, content), ThreadOrder::Backward);
            }
        wideHistogram<false>(Picture<std::uint16_t, 4>(77, 13, Content::Random), ThreadOrder::Shuffled);
    }

    // Two levels that share a word, each more often than its sixteen bits hold, in turns: every way of running over.
    void wideCountersRunOver() {
        Picture<std::uint16_t, 1> picture(1 << 19, 1, Content::Constant);
        for (std::size_t i = 0; i < picture.pixels.size(); ++i)
            picture.pixels[i].channel[0] = i * 2654435761u >> 13 & 1 ? 123 : 123 + 32768;
        wideHistogram<true>(picture, ThreadOrder::Forward);
    }

    void totalsFollowFromCounts() {
        const Picture<std::uint16_t, 1> picture(77, 13, Content::Stripes);
        const auto counts = expectedCounts(picture);
        std::vector<ChannelTotals<std::uint16_t>> totals{totalsOfLevels<std::uint16_t>(counts.data(), 40.0f)};
        totals.resize(blocks, ChannelTotals<std::uint16_t>::identity());
        compareTotals(picture, 40.0f, totals);
    }

    // A constant picture: one addition a warp where lanes would have made 32; at random, no more than lanes make.
    void runsSaveAdditions() {
        const auto additions = [](const SimulationReport &report) {
            return report.total(AccessKind::GlobalAtomic, &SiteCounts::accesses);
        };
        const Picture<std::uint16_t, 1> constant(128, 10, Content::Constant), random(128, 10, Content::Random);
        QCOMPARE(additions(histogram<HistogramCounting::Lanes>(constant, ThreadOrder::Forward)), 1280u);
        QCOMPARE(additions(histogram<HistogramCounting::Runs>(constant, ThreadOrder::Forward)), 40u);
        QVERIFY(additions(histogram<HistogramCounting::Runs>(random, ThreadOrder::Forward)) <= 1280u);
    }
};

QTEST_APPLESS_MAIN(LadderStatisticsTest)
#include "ladder_statistics_test.moc"
