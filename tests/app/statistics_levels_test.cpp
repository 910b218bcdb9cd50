// Statistics of integer pictures against NumPy's values and a plain second computation on sorted values.
#include "app/core/error.h"
#include "app/core/thread_pool.h"
#include "app/stats/channel_rows.h"
#include "app/stats/level_counts.h"
#include "app/stats/luma_levels.h"
#include "app/stats/statistics.h"

#include <QtTest>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

using namespace tessera;

namespace {

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

// (7x + 13y + xy mod 31) mod 256: the picture of the NumPy values below.
int formula(int x, int y) { return (x * 7 + y * 13 + (x * y) % 31) % 256; }

template <class T>
Image made(int width, int height, PixelFormat format, const std::function<int(int, int, int)> &value) {
    Image image(width, height, format);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < format.channels; ++c)
                image.view().row<T>(y)[x * format.channels + c] = static_cast<T>(value(x, y, c));
    return image;
}

// numpy.percentile's default on sorted values.
double percentileOf(const std::vector<double> &sorted, double rank) {
    const double place = rank / 100.0 * double(sorted.size() - 1);
    const auto low = std::size_t(place);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return sorted[low] + (place - double(low)) * (sorted[high] - sorted[low]);
}

} // namespace

class StatisticsLevelsTest : public QObject {
    Q_OBJECT

private slots:
    // Counted in parts, in any order and from several threads, a picture has the statistics that it has as a whole.
    void partsMakeTheWhole() {
        for (const Depth depth : {Depth::U8, Depth::U16})
            for (const int channels : {1, 2, 3, 4}) {
                std::mt19937 random{unsigned(channels)};
                Image image(131, 77, {depth, channels});
                for (int y = 0; y < image.height(); ++y)
                    for (int i = 0; i < image.width() * channels; ++i)
                        if (depth == Depth::U8)
                            image.view().row<std::uint8_t>(y)[i] = std::uint8_t(random() % 97);
                        else
                            image.view().row<std::uint16_t>(y)[i] = std::uint16_t(random());
                const ConstPixelView whole = std::as_const(image).view();
                LevelCounts counts;
                ThreadPool pool(3);
                const std::vector<Rectangle> parts{{50, 40, 81, 37}, {0, 0, 131, 1}, {0, 1, 50, 76}, {50, 1, 81, 39}};
                pool.parallelFor(parts.size(), [&](std::size_t i) { counts.count(whole.part(parts[i])); });
                const ImageStatistics actual = counts.statistics(), expected = computeStatistics(whole);
                QCOMPARE(actual.pixels, expected.pixels);
                QCOMPARE(actual.channels.size(), expected.channels.size());
                for (std::size_t c = 0; c < expected.channels.size(); ++c) {
                    QCOMPARE(actual.channels[c].name, expected.channels[c].name);
                    QVERIFY(actual.channels[c].histogram == expected.channels[c].histogram);
                    QCOMPARE(actual.channels[c].mean, expected.channels[c].mean);
                    QVERIFY(actual.channels[c].percentiles == expected.channels[c].percentiles);
                }
            }
    }

    void countsRefuseOtherFormats() {
        LevelCounts counts;
        QVERIFY(counts.statistics().channels.empty());
        Image grey(4, 4, {Depth::U8, 1}), colour(4, 4, {Depth::U8, 3}), real(4, 4, {Depth::F32, 1});
        std::memset(grey.view().data, 0, grey.bytes());
        QVERIFY_EXCEPTION_THROWN(counts.count(real.view()), Error);
        counts.count(grey.view());
        QVERIFY_EXCEPTION_THROWN(counts.count(colour.view()), Error);
        QCOMPARE(counts.statistics().pixels, std::uint64_t(16));
    }

    // Every colour that there is, on every instruction set of the machine.
    void luminanceOfEveryColour() {
        std::vector<std::uint8_t> row(256 * 4), levels(256);
        const auto check = [&](int channels) {
            for (int r = 0; r < 256; ++r)
                for (int g = 0; g < 256; ++g) {
                    for (int b = 0; b < 256; ++b) {
                        std::uint8_t *pixel = row.data() + b * channels;
                        pixel[0] = std::uint8_t(r), pixel[1] = std::uint8_t(g), pixel[2] = std::uint8_t(b);
                    }
                    lumaLevels(row.data(), channels, 256, levels.data());
                    for (unsigned b = 0; b < 256; ++b)
                        if (levels[b] != lumaLevel(unsigned(r), unsigned(g), b))
                            return false;
                }
            return true;
        };
        for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
            hwy::SetSupportedTargetsForTest(rest & -rest);
            hwy::GetChosenTarget().Update(hwy::SupportedTargets());
            const bool right = check(3) && check(4);
            hwy::SetSupportedTargetsForTest(0);
            hwy::GetChosenTarget().Update(hwy::SupportedTargets());
            QVERIFY2(right, hwy::TargetName(rest & -rest));
        }
    }
    void agreesWithNumPyAt8Bits() {
        const Image image = made<std::uint8_t>(50, 40, {Depth::U8, 1}, [](int x, int y, int) { return formula(x, y); });
        const ImageStatistics statistics = computeStatistics(image.view());
        QCOMPARE(statistics.pixels, std::uint64_t(2000));
        QCOMPARE(statistics.channels.size(), std::size_t(1));
        const ChannelStatistics &grey = statistics.channels.front();
        QCOMPARE(grey.name, std::string("Grey"));
        QCOMPARE(grey.count, std::uint64_t(2000));
        QCOMPARE(grey.minimum, 0.0);
        QCOMPARE(grey.maximum, 255.0);
        QCOMPARE(grey.mean, 127.4845);
        QVERIFY(near(grey.standardDeviation, 74.08491587192361, 1e-12));
        QCOMPARE(grey.median, 128.0);
        const std::array<double, 7> percentiles{1.99, 12.0, 63.0, 128.0, 191.25, 244.0, 253.0};
        for (std::size_t i = 0; i < percentiles.size(); ++i)
            QVERIFY(near(grey.percentiles[i], percentiles[i], 1e-12));
        QVERIFY(near(grey.entropy, 7.890979310944523, 1e-12));
        QCOMPARE(grey.clippedLow, std::uint64_t(14));
        QCOMPARE(grey.clippedHigh, std::uint64_t(5));
        QCOMPARE(grey.histogram.size(), std::size_t(256));
        QCOMPARE(grey.histogramLow, -0.5);
        QCOMPARE(grey.histogramHigh, 255.5);
        QCOMPARE(grey.nan + grey.infinite, std::uint64_t(0));
    }

    void agreesWithNumPyAt16Bits() {
        const Image image = made<std::uint16_t>(50, 40, {Depth::U16, 1}, [](int x, int y, int) {
            return std::min(formula(x, y) * 257 + x * y % 200, 65'535);
        });
        const ChannelStatistics grey = computeStatistics(image.view()).channels.front();
        QCOMPARE(grey.mean, 32852.027);
        QVERIFY(near(grey.standardDeviation, 19037.84357203491, 1e-9));
        const std::array<double, 7> percentiles{560.31, 3174.25, 16227.25, 33019.0, 49300.25, 62764.2, 65037.08};
        for (std::size_t i = 0; i < percentiles.size(); ++i)
            QVERIFY(near(grey.percentiles[i], percentiles[i], 1e-9));
        QCOMPARE(grey.histogram.size(), std::size_t(65'536));
        QCOMPARE(grey.histogramHigh, 65'535.5);
    }

    void channelsAreNamedAndCounted_data() {
        QTest::addColumn<int>("channels");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("grey") << 1 << QStringList{"Grey"};
        QTest::newRow("grey, alpha") << 2 << QStringList{"Grey", "A"};
        QTest::newRow("rgb") << 3 << QStringList{"R", "G", "B", "Luminance"};
        QTest::newRow("rgba") << 4 << QStringList{"R", "G", "B", "A", "Luminance"};
    }
    void channelsAreNamedAndCounted() {
        QFETCH(int, channels);
        QFETCH(QStringList, names);
        std::mt19937 random(3);
        const auto value = [&](int, int, int) { return int(random() & 0xFFFF); };
        checkAgainstSortedValues<std::uint8_t>(made<std::uint8_t>(37, 23, {Depth::U8, channels}, value), names);
        checkAgainstSortedValues<std::uint16_t>(made<std::uint16_t>(37, 23, {Depth::U16, channels}, value), names);
        checkAgainstSortedValues<std::uint8_t>(made<std::uint8_t>(1, 1, {Depth::U8, channels}, value), names);
        checkAgainstSortedValues<std::uint8_t>(made<std::uint8_t>(1, 7, {Depth::U8, channels}, value), names);
        checkAgainstSortedValues<std::uint16_t>(made<std::uint16_t>(2, 1, {Depth::U16, channels}, value), names);
        // Enough pixels for several threads.
        checkAgainstSortedValues<std::uint8_t>(made<std::uint8_t>(1031, 769, {Depth::U8, channels}, value), names);
    }

    // Nearest level of 0.2126 R + 0.7152 G + 0.0722 B in whole numbers; ties to even.
    void luminanceIsRoundedExactly() {
        std::mt19937 random(5);
        const Image image =
            made<std::uint8_t>(400, 400, {Depth::U8, 3}, [&](int, int, int) { return int(random() & 0xFF); });
        std::vector<std::uint64_t> expected(256, 0);
        for (int y = 0; y < 400; ++y) {
            const auto *row = image.view().row<std::uint8_t>(y);
            for (int x = 0; x < 400; ++x) {
                const int sum = 2126 * row[3 * x] + 7152 * row[3 * x + 1] + 722 * row[3 * x + 2];
                int level = sum / 10'000;
                const int rest = sum % 10'000;
                level += rest > 5000 || (rest == 5000 && level % 2 == 1);
                ++expected[std::size_t(level)];
            }
        }
        QCOMPARE(computeStatistics(image.view()).channels[3].histogram, expected);
        for (const auto &[r, g, b, level] : std::vector<std::array<int, 4>>{
                 {0, 0, 0, 0}, {255, 255, 255, 255}, {255, 0, 0, 54}, {0, 255, 0, 182}, {0, 0, 255, 18}})
            QCOMPARE(luminanceOf(r, g, b), level);
        checkTies();
    }

    void constantPicturesHaveNoSpread() {
        const Image image = made<std::uint8_t>(64, 64, {Depth::U8, 3}, [](int, int, int) { return 77; });
        for (const ChannelStatistics &channel : computeStatistics(image.view()).channels) {
            QCOMPARE(channel.minimum, 77.0);
            QCOMPARE(channel.maximum, 77.0);
            QCOMPARE(channel.mean, 77.0);
            QCOMPARE(channel.standardDeviation, 0.0);
            QCOMPARE(channel.entropy, 0.0);
            QVERIFY(!std::signbit(channel.entropy));
            for (double percentile : channel.percentiles)
                QCOMPARE(percentile, 77.0);
            QCOMPARE(channel.histogram[77], std::uint64_t(4096));
        }
    }

    // 65534 and 65535 in equal parts: the deviation is a half exactly, under an offset whose squares need 32 bits each.
    void largeOffsetsCostNoDigits() {
        const Image image =
            made<std::uint16_t>(2048, 1024, {Depth::U16, 1}, [](int x, int, int) { return 65'534 + x % 2; });
        const ChannelStatistics grey = computeStatistics(image.view()).channels.front();
        QCOMPARE(grey.mean, 65'534.5);
        QCOMPARE(grey.standardDeviation, 0.5);
        QCOMPARE(grey.median, 65'534.5);
        QCOMPARE(grey.entropy, 1.0);
    }

    // A part of a picture has rows further apart than they are long, and begins anywhere.
    void partsOfPicturesCount() {
        const Image image =
            made<std::uint8_t>(50, 40, {Depth::U8, 3}, [](int x, int y, int c) { return formula(x, y + c); });
        const Image copy =
            made<std::uint8_t>(17, 11, {Depth::U8, 3}, [](int x, int y, int c) { return formula(x + 7, y + 5 + c); });
        const ImageStatistics part = computeStatistics(image.view().part({7, 5, 17, 11}));
        const ImageStatistics whole = computeStatistics(copy.view());
        for (std::size_t c = 0; c < 4; ++c)
            QCOMPARE(part.channels[c].histogram, whole.channels[c].histogram);
    }

    void stopsWhenAsked() {
        const Image image = made<std::uint8_t>(50, 40, {Depth::U8, 1}, [](int, int, int) { return 0; });
        std::stop_source source;
        source.request_stop();
        RunControl control;
        control.stop = source.get_token();
        try {
            computeStatistics(image.view(), control);
            QFAIL("was not cancelled");
        } catch (const Error &error) {
            QVERIFY(error.kind() == ErrorKind::Cancelled);
        }
    }

private:
    static int luminanceOf(int r, int g, int b) {
        const Image image = made<std::uint8_t>(1, 1, {Depth::U8, 3}, [&](int, int, int c) {
            return c == 0 ? r : c == 1 ? g : b;
        });
        return int(computeStatistics(image.view()).channels[3].mean);
    }

    // Every colour of the cube whose weighted sum lies exactly between two levels.
    void checkTies() {
        int ties = 0;
        for (int r = 0; r < 256; ++r)
            for (int g = 0; g < 256; ++g)
                for (int b = 0; b < 256; ++b)
                    if ((2126 * r + 7152 * g + 722 * b) % 10'000 == 5000 && ++ties % 40 == 0)
                        QCOMPARE(luminanceOf(r, g, b) % 2, 0);
        QVERIFY(ties > 100);
    }

    template <class T> void checkAgainstSortedValues(const Image &image, const QStringList &names) {
        const ImageStatistics statistics = computeStatistics(image.view());
        QCOMPARE(statistics.channels.size(), std::size_t(names.size()));
        const int channels = image.format().channels;
        for (std::size_t c = 0; c < statistics.channels.size(); ++c) {
            const ChannelStatistics &channel = statistics.channels[c];
            QCOMPARE(QString::fromStdString(channel.name), names[int(c)]);
            QCOMPARE(std::accumulate(channel.histogram.begin(), channel.histogram.end(), std::uint64_t(0)),
                     std::uint64_t(image.width()) * std::uint64_t(image.height()));
            if (int(c) >= channels)
                continue; // luminance has a test of its own
            std::vector<double> values;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    values.push_back(image.view().row<T>(y)[x * channels + int(c)]);
            checkChannel(channel, values);
        }
    }

    void checkChannel(const ChannelStatistics &channel, std::vector<double> values) {
        std::sort(values.begin(), values.end());
        const auto n = static_cast<long double>(values.size());
        const long double mean = std::accumulate(values.begin(), values.end(), 0.0L) / n;
        long double squares = 0.0L;
        for (double value : values)
            squares += (value - mean) * (value - mean);
        QCOMPARE(channel.count, std::uint64_t(values.size()));
        QCOMPARE(channel.minimum, values.front());
        QCOMPARE(channel.maximum, values.back());
        QVERIFY(near(channel.mean, double(mean), 1e-10));
        QVERIFY(near(channel.standardDeviation, double(std::sqrt(squares / n)), 1e-9));
        for (std::size_t i = 0; i < percentileRanks.size(); ++i)
            QVERIFY(near(channel.percentiles[i], percentileOf(values, percentileRanks[i]), 1e-8));
        QCOMPARE(channel.median, channel.percentiles[3]);
        for (double level : {values.front(), values.back(), values[values.size() / 2]})
            QCOMPARE(channel.histogram[std::size_t(level)],
                     std::uint64_t(std::count(values.begin(), values.end(), level)));
    }
};

QTEST_APPLESS_MAIN(StatisticsLevelsTest)
#include "statistics_levels_test.moc"
