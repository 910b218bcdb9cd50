// Rows counted two at a time have the counts of their samples one by one, whatever they hold.
#include "app/stats/channel_rows.h"
#include "app/stats/level_counts.h"
#include "app/stats/level_pairs.h"

#include <QtTest>
#include <hwy/targets.h>

#include <cstdlib>
#include <random>

using namespace tessera;

namespace {

// Calls run() with each instruction set of the machine in turn as the only one.
template <class Run> void onEveryInstructionSet(const Run &run) {
    for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
        hwy::SetSupportedTargetsForTest(rest & -rest);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        run();
        hwy::SetSupportedTargetsForTest(0);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    }
}

// Bands of rows: level, smooth, steps at the limit of what is a pair, noise, and noise with smooth stretches.
Image mixedPicture(int width, int height, int channels) {
    Image image(width, height, {Depth::U8, channels});
    std::mt19937 random{unsigned(channels)};
    for (int y = 0; y < height; ++y)
        for (int i = 0; i < width * channels; ++i) {
            const unsigned noise = unsigned(random()) >> 9 & 255u;
            const unsigned smooth = unsigned(i / 40 + y / 3) % 240 + noise % 5;
            const int band = y / 150 % 5;
            const unsigned level = band == 0   ? 200u
                                   : band == 1 ? smooth
                                   : band == 2 ? (unsigned(y) % 2 == 0 ? 100u : 34u + noise % 3 + unsigned(i) % 2 * 128)
                                   : band == 3 ? noise
                                   : i % 500 < 20 ? noise
                                                  : smooth;
            image.view().row<std::uint8_t>(y)[i] = std::uint8_t(level);
        }
    return image;
}

std::vector<std::vector<std::uint64_t>> countedOneByOne(const ConstPixelView &picture) {
    const int channels = picture.format.channels;
    std::vector<std::vector<std::uint64_t>> counts(std::size_t(channels) + 1, std::vector<std::uint64_t>(256));
    for (int y = 0; y < picture.height; ++y)
        for (int x = 0; x < picture.width; ++x) {
            const std::uint8_t *pixel = picture.row<std::uint8_t>(y) + x * channels;
            for (int c = 0; c < channels; ++c)
                ++counts[std::size_t(c)][pixel[c]];
            if (channels >= 3)
                ++counts.back()[lumaLevel(pixel[0], pixel[1], pixel[2])];
        }
    return counts;
}

} // namespace

class LevelPairsTest : public QObject {
    Q_OBJECT

private slots:
    void everyPairHasItsPlace() {
        std::vector<std::uint8_t> above(65536), below(65536);
        for (int i = 0; i < 65536; ++i) {
            above[std::size_t(i)] = std::uint8_t(i >> 8);
            below[std::size_t(i)] = std::uint8_t(i);
        }
        onEveryInstructionSet([&] {
            for (const int count : {65536, 65531, 1, 0}) {
                std::vector<std::uint16_t> places(65536), apart(65536), expectedApart;
                const int found = findPairs(above.data(), below.data(), count, places.data(), apart.data());
                for (int i = 0; i < count; ++i) {
                    const int step = (i & 255) - (i >> 8);
                    const bool near = step >= -pairSteps / 2 && step < pairSteps / 2;
                    if (!near)
                        expectedApart.push_back(std::uint16_t(i));
                    QCOMPARE(int(places[std::size_t(i)]), near ? pairPlace(i >> 8, i & 255) : noPair);
                }
                apart.resize(std::size_t(found));
                QVERIFY(apart == expectedApart);
            }
        });
    }

    void countsAreThoseOfSamples_data() {
        QTest::addColumn<int>("channels");
        for (const int channels : {1, 2, 3, 4})
            QTest::addRow("%d channels", channels) << channels;
    }

    // Large enough for pairs to be counted at all, with an odd number of rows and columns.
    void countsAreThoseOfSamples() {
        QFETCH(int, channels);
        const Image image = mixedPicture(1021, 1207, channels);
        const auto expected = countedOneByOne(image.view());
        onEveryInstructionSet([&] {
            LevelCounts counts;
            // Twice, with the result asked for in between: what has been counted stays.
            for (const std::uint64_t times : {1, 2}) {
                for (int y = 0; y < image.height(); y += 71)
                    counts.count(image.view().part({0, y, image.width(), std::min(71, image.height() - y)}));
                const ImageStatistics found = counts.statistics();
                for (std::size_t c = 0; c < found.channels.size(); ++c)
                    for (std::size_t level = 0; level < 256; ++level)
                        QCOMPARE(found.channels[c].histogram[level], times * expected[c][level]);
            }
            QCOMPARE(counts.statistics().channels.size(), std::size_t(channels + (channels >= 3 ? 1 : 0)));
        });
        const ImageStatistics whole = computeStatistics(image.view());
        for (std::size_t c = 0; c < whole.channels.size(); ++c)
            QVERIFY(whole.channels[c].histogram == expected[c]);
    }
};

QTEST_GUILESS_MAIN(LevelPairsTest)
#include "level_pairs_test.moc"
