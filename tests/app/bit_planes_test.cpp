// Levels counted by planes of bits, against increments: on processors that can, both ways of LevelCounter.
#include "app/stats/bit_planes.h"
#include "app/stats/level_counter.h"

#include <QtTest>

#include <functional>
#include <random>
#include <vector>

using namespace tessera;

namespace {

using Levels = std::array<std::uint64_t, 256>;
using Source = std::function<std::uint8_t()>;

class Values {
public:
    std::vector<std::pair<const char *, Source>> sources() {
        return {{"noise", [this] { return std::uint8_t(random_()); }},
                {"one level", [] { return std::uint8_t(77); }},
                {"two levels", [this] { return std::uint8_t(random_() % 2 * 255); }},
                {"every level in turn", [this] { return std::uint8_t(turn_++); }},
                {"a walk", [this] { return std::uint8_t(turn_ += int(random_() % 3) - 1); }}};
    }

private:
    std::mt19937 random_{20260711};
    int turn_ = 0;
};

std::vector<Levels> counted(const Image &image, bool byPlanes, int rowsOfAPart) {
    const ConstPixelView view = image.view();
    LevelCounter<std::uint8_t> counter(view.format, byPlanes);
    for (int y = 0; y < view.height; y += rowsOfAPart)
        counter.count(view.part({0, y, view.width, std::min(rowsOfAPart, view.height - y)}));
    std::vector<Levels> levels(statisticsChannels(view.format).size(), Levels{});
    counter.addTo([&](std::size_t c) -> auto & { return levels[c]; });
    return levels;
}

} // namespace

class BitPlanesTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (!canCountBitPlanes()) {
            std::puts("skipped: no AVX-512 with VPOPCNTDQ and GFNI");
            std::fflush(stdout);
            QSKIP("no AVX-512 with VPOPCNTDQ and GFNI");
        }
    }

    void blocksAreCounted() {
        Values values;
        for (const auto &[name, source] : values.sources())
            for (const int blocks : {0, 1, 7}) {
                std::vector<std::uint8_t> samples(std::size_t(blocks) * bitPlaneBlock + 1);
                std::ranges::generate(samples, source);
                BitPlaneCounts counts;
                counts.level[9][3] = 5; // what was counted before stays
                countBitPlanes(samples.data(), blocks, counts);
                Levels expected{};
                expected[9] = 5;
                for (std::size_t i = 0; i + 1 < samples.size(); ++i)
                    ++expected[samples[i]];
                for (std::size_t level = 0; level < 256; ++level) {
                    std::uint64_t sum = 0;
                    for (const std::uint64_t part : counts.level[level])
                        sum += part;
                    QVERIFY2(sum == expected[level], name);
                }
            }
    }

    // Pictures of every number of channels, narrower and wider than blocks, whole and in parts; large enough for pairs.
    void countersAgree() {
        Values values;
        for (const auto &[name, source] : values.sources())
            for (const int channels : {1, 2, 3, 4})
                for (const auto &[width, height] : {std::pair{1, 1}, {7, 5}, {600, 9}, {4096, 3}, {1021, 1100}}) {
                    Image image(width, height, {Depth::U8, channels});
                    for (int y = 0; y < height; ++y)
                        std::generate_n(image.view().row<std::uint8_t>(y), width * channels, source);
                    const std::vector<Levels> expected = counted(image, false, height);
                    QVERIFY2(counted(image, true, height) == expected, name);
                    QVERIFY2(counted(image, true, 4) == expected, name);
                }
    }
};

QTEST_APPLESS_MAIN(BitPlanesTest)
#include "bit_planes_test.moc"
