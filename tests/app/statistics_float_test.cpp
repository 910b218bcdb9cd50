// Statistics of float pictures: exact percentiles, sums under large offsets, and values that are no numbers.
#include "app/stats/statistics.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

using namespace tessera;

namespace {

constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

Image made(int width, int height, int channels, const std::function<float(int, int, int)> &value) {
    Image image(width, height, {Depth::F32, channels});
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < channels; ++c)
                image.view().row<float>(y)[x * channels + c] = value(x, y, c);
    return image;
}

Image row(const std::vector<float> &values) {
    return made(int(values.size()), 1, 1, [&](int x, int, int) { return values[std::size_t(x)]; });
}

double percentileOf(const std::vector<double> &sorted, double rank) {
    const double place = rank / 100.0 * double(sorted.size() - 1);
    const auto low = std::size_t(place);
    return sorted[low] + (place - double(low)) * (sorted[std::min(low + 1, sorted.size() - 1)] - sorted[low]);
}

} // namespace

class StatisticsFloatTest : public QObject {
    Q_OBJECT

private slots:
    void percentilesAreExact_data() {
        QTest::addColumn<int>("kind");
        QTest::newRow("uniform") << 0;
        QTest::newRow("both signs") << 1;
        QTest::newRow("ten orders of magnitude") << 2; // where equal bins would put nearly all into the first
        QTest::newRow("few values") << 3;
        QTest::newRow("one outlier") << 4;
    }
    void percentilesAreExact() {
        QFETCH(int, kind);
        std::mt19937 random(17);
        std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
        std::normal_distribution<float> normal(0.0f, 3.0f);
        const Image image = made(613, 431, 1, [&](int x, int y, int) {
            const float value = kind == 1   ? normal(random)
                                : kind == 2 ? std::exp(3.0f * normal(random))
                                            : uniform(random);
            return kind == 3 ? std::floor(4.0f * value) - 1.0f : kind == 4 && x == 5 && y == 5 ? 1e30f : value;
        });
        std::vector<double> values;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                values.push_back(double(image.view().row<float>(y)[x]));
        std::sort(values.begin(), values.end());
        const ChannelStatistics grey = computeStatistics(image.view()).channels.front();
        QCOMPARE(grey.minimum, values.front());
        QCOMPARE(grey.maximum, values.back());
        for (std::size_t i = 0; i < percentileRanks.size(); ++i) {
            const double expected = percentileOf(values, percentileRanks[i]);
            QVERIFY(near(grey.percentiles[i], expected, 1e-9 * std::abs(expected)));
        }
        QCOMPARE(grey.median, grey.percentiles[3]);
        QCOMPARE(std::accumulate(grey.histogram.begin(), grey.histogram.end(), std::uint64_t(0)), grey.count);
    }

    void smallPicturesInterpolate() {
        const ChannelStatistics one = computeStatistics(row({0.25f}).view()).channels.front();
        QCOMPARE(one.median, 0.25);
        QCOMPARE(one.percentiles[0], 0.25);
        const ChannelStatistics two = computeStatistics(row({1.0f, 0.0f}).view()).channels.front();
        QCOMPARE(two.median, 0.5);
        QCOMPARE(two.percentiles[0], 0.01);
        QCOMPARE(two.standardDeviation, 0.5);
        const ChannelStatistics zeros = computeStatistics(row({-0.0f, 0.0f, -1.0f, 1.0f}).view()).channels.front();
        QCOMPARE(zeros.median, 0.0);
    }

    // A spread of one part in ten million on a large offset: the textbook formula E[x^2] - E[x]^2 loses all digits.
    void largeOffsetsCostNoDigits() {
        const Image image = made(2000, 1000, 1, [](int x, int y, int) { return 8'388'608.0f + float((x + y) % 2); });
        const ChannelStatistics grey = computeStatistics(image.view()).channels.front();
        QCOMPARE(grey.mean, 8'388'608.5);
        QCOMPARE(grey.standardDeviation, 0.5);
    }

    // The same pattern 64 times as large has the same statistics, to the last digits.
    void sizeCostsNoDigits() {
        const auto value = [](int x, int y, int) { return 0.1f * float((x % 100) * 3 + (y % 100) * 7 % 11) + 1000.0f; };
        const ChannelStatistics small = computeStatistics(made(100, 100, 1, value).view()).channels.front();
        const ChannelStatistics large = computeStatistics(made(1600, 1600, 1, value).view()).channels.front();
        QVERIFY(near(large.mean, small.mean, 1e-12 * small.mean));
        QVERIFY(near(large.standardDeviation, small.standardDeviation, 1e-12 * small.standardDeviation));
        QVERIFY(near(large.entropy, small.entropy, 1e-12));
        QCOMPARE(large.median, small.median);
    }

    // Threads take the rows in any order; the sums must not show it, to the last bit.
    void runsAgree() {
        std::mt19937 random(29);
        std::normal_distribution<float> normal(1.0f, 1000.0f);
        const Image image = made(1500, 1100, 3, [&](int, int, int) { return normal(random); });
        const ImageStatistics first = computeStatistics(image.view());
        for (int run = 0; run < 4; ++run) {
            const ImageStatistics again = computeStatistics(image.view());
            for (std::size_t c = 0; c < 4; ++c) {
                QVERIFY(again.channels[c].mean == first.channels[c].mean); // QCOMPARE allows a rounding
                QVERIFY(again.channels[c].standardDeviation == first.channels[c].standardDeviation);
                QVERIFY(again.channels[c].percentiles == first.channels[c].percentiles);
                QVERIFY(again.channels[c].histogram == first.channels[c].histogram);
            }
        }
    }

    void valuesThatAreNoNumbersAreCountedApart() {
        const ChannelStatistics grey =
            computeStatistics(row({notANumber, 0.25f, infinity, -infinity, 0.75f, notANumber, notANumber}).view())
                .channels.front();
        QCOMPARE(grey.count, std::uint64_t(2));
        QCOMPARE(grey.nan, std::uint64_t(3));
        QCOMPARE(grey.infinite, std::uint64_t(2));
        QCOMPARE(grey.minimum, 0.25);
        QCOMPARE(grey.maximum, 0.75);
        QCOMPARE(grey.mean, 0.5);
        QCOMPARE(grey.median, 0.5);
        QCOMPARE(grey.standardDeviation, 0.25);
        QCOMPARE(std::accumulate(grey.histogram.begin(), grey.histogram.end(), std::uint64_t(0)), std::uint64_t(2));
        QCOMPARE(grey.histogramLow, 0.25);
        QCOMPARE(grey.histogramHigh, 0.75);
    }

    void picturesWithoutNumbersHaveEmptyHistograms() {
        const ChannelStatistics grey = computeStatistics(row({notANumber, infinity}).view()).channels.front();
        QCOMPARE(grey.count, std::uint64_t(0));
        QCOMPARE(grey.histogram, std::vector<std::uint64_t>(4096, 0));
        QVERIFY(grey.mean == 0.0 && grey.standardDeviation == 0.0 && grey.entropy == 0.0);
        QCOMPARE(grey.histogramLow, 0.0);
        QCOMPARE(grey.histogramHigh, 1.0);
    }

    void clippingIsCountedAtTheNominalRange() {
        const ChannelStatistics grey =
            computeStatistics(row({-0.5f, 0.0f, 0.5f, 1.0f, 1.5f, 2.0f, infinity}).view()).channels.front();
        QCOMPARE(grey.clippedLow, std::uint64_t(2));
        QCOMPARE(grey.clippedHigh, std::uint64_t(3));
        QCOMPARE(grey.infinite, std::uint64_t(1));
    }

    void constantPicturesFillOneBin() {
        const ChannelStatistics grey = computeStatistics(row({0.3f, 0.3f, 0.3f}).view()).channels.front();
        QCOMPARE(grey.histogram.front(), std::uint64_t(3));
        QCOMPARE(grey.histogramLow, grey.histogramHigh);
        QCOMPARE(grey.standardDeviation, 0.0);
        QCOMPARE(grey.entropy, 0.0);
        QCOMPARE(grey.mean, double(0.3f));
    }

    // Bins count what their edges say.
    void binsCoverTheRangeEvenly() {
        std::vector<float> values;
        for (int i = 0; i < 4096; ++i)
            values.push_back(float(i) + 0.5f);
        values.push_back(0.0f);
        values.push_back(4096.0f); // the upper edge belongs to the last bin
        const ChannelStatistics grey = computeStatistics(row(values).view()).channels.front();
        QCOMPARE(grey.histogram.front(), std::uint64_t(2));
        QCOMPARE(grey.histogram.back(), std::uint64_t(2));
        for (std::size_t bin = 1; bin < 4095; ++bin)
            QCOMPARE(grey.histogram[bin], std::uint64_t(1));
    }

    // Colours and luminance share a range so that their histograms lie over each other; alpha has its own.
    void coloursShareARange() {
        std::mt19937 random(23);
        std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
        const Image image = made(
            60, 50, 4, [&](int, int, int c) { return c == 3 ? 7.0f + uniform(random) : uniform(random) + float(c); });
        const ImageStatistics statistics = computeStatistics(image.view());
        QCOMPARE(statistics.channels.size(), std::size_t(5));
        for (std::size_t c : {0u, 1u, 2u, 4u}) {
            QCOMPARE(statistics.channels[c].histogramLow, statistics.channels[0].minimum);
            QCOMPARE(statistics.channels[c].histogramHigh, statistics.channels[2].maximum);
        }
        QCOMPARE(statistics.channels[3].histogramLow, statistics.channels[3].minimum);
        for (const ChannelStatistics &channel : statistics.channels)
            QCOMPARE(std::accumulate(channel.histogram.begin(), channel.histogram.end(), std::uint64_t(0)),
                     channel.count);
        const double mean = 0.2126 * statistics.channels[0].mean + 0.7152 * statistics.channels[1].mean +
                            0.0722 * statistics.channels[2].mean;
        QVERIFY(near(statistics.channels[4].mean, mean, 1e-8));
    }

    void luminanceOfGreyIsTheGrey() {
        const Image image = made(40, 30, 3, [](int x, int y, int) { return 0.001f * float(x) + 0.7f * float(y); });
        const ImageStatistics statistics = computeStatistics(image.view());
        QCOMPARE(statistics.channels[3].histogram, statistics.channels[0].histogram);
        QCOMPARE(statistics.channels[3].mean, statistics.channels[0].mean);
        QCOMPARE(statistics.channels[3].percentiles, statistics.channels[0].percentiles);
        const Image holed = made(1, 1, 3, [](int, int, int c) { return c == 1 ? notANumber : 0.5f; });
        QCOMPARE(computeStatistics(holed.view()).channels[3].nan, std::uint64_t(1));
    }

    void hugeValuesDoNotOverflow() {
        const float most = std::numeric_limits<float>::max();
        const ChannelStatistics grey = computeStatistics(row({-most, most}).view()).channels.front();
        QCOMPARE(grey.mean, 0.0);
        QCOMPARE(grey.standardDeviation, double(most));
        QCOMPARE(grey.histogram.front(), std::uint64_t(1));
        QCOMPARE(grey.histogram.back(), std::uint64_t(1));
    }
};

QTEST_APPLESS_MAIN(StatisticsFloatTest)
#include "statistics_float_test.moc"
