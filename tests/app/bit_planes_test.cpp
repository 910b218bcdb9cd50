// Levels counted by planes of bits, against increments: on processors that can, both ways of LevelCounter.
#include "app/stats/bit_planes.h"
#include "app/stats/level_counter.h"

#include <QtTest>

#include <cstdio>
#include <functional>
#include <random>
#include <sys/mman.h>
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

// Zeros, with no memory behind them.
class GuardedEnd {
public:
    explicit GuardedEnd(std::size_t size) : size_(size) {
        memory_ = static_cast<std::uint8_t *>(
            mmap(nullptr, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(memory_ + size, size, PROT_NONE);
    }
    ~GuardedEnd() { munmap(memory_, 2 * size_); }
    GuardedEnd(const GuardedEnd &) = delete;
    GuardedEnd &operator=(const GuardedEnd &) = delete;
    std::uint8_t *end() const { return memory_ + size_; }

private:
    std::size_t size_;
    std::uint8_t *memory_;
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
                constexpr int pitch = 7 * bitPlaneColumns + 5;
                std::vector<std::uint8_t> samples(std::size_t(pitch) * bitPlaneRows);
                std::ranges::generate(samples, source);
                BitPlaneCounts counts;
                counts.level[9][3] = 5; // what was counted before stays
                countBitPlanes(samples.data(), pitch, blocks, counts);
                Levels expected{};
                expected[9] = 5;
                for (int y = 0; y < bitPlaneRows; ++y)
                    for (int x = 0; x < blocks * bitPlaneColumns; ++x)
                        ++expected[samples[std::size_t(y * pitch + x)]];
                for (std::size_t level = 0; level < 256; ++level) {
                    std::uint64_t sum = 0;
                    for (const std::uint64_t part : counts.level[level])
                        sum += part;
                    QVERIFY2(sum == expected[level], name);
                }
            }
    }

    // Luminance is the very same level for every sum that colours can have; what is beyond the pixels becomes zeros.
    void coloursAreTakenApart() {
        std::array<std::uint8_t, 4 * 128> planes;
        std::vector<std::uint8_t> row;
        for (int red = 0; red < 256; ++red)
            for (int blue = 0; blue < 256; blue += 5)
                for (int green = 0; green < 256; green += 100) {
                    row.clear();
                    const int pixels = std::min(100, 256 - green);
                    for (int i = 0; i < pixels; ++i)
                        for (const int value : {red, green + i, blue})
                            row.push_back(std::uint8_t(value));
                    planes.fill(99);
                    separateRgb(row.data(), pixels, planes.data(), 128);
                    for (int i = 0; i < 128; ++i) {
                        const bool inside = i < pixels;
                        const auto at = [&](int plane) { return int(planes[std::size_t(plane * 128 + i)]); };
                        if (i >= (pixels + 63) / 64 * 64)
                            continue;
                        QCOMPARE(at(0), inside ? red : 0);
                        QCOMPARE(at(1), inside ? green + i : 0);
                        QCOMPARE(at(2), inside ? blue : 0);
                        QCOMPARE(at(3),
                                 inside ? int(lumaLevel(unsigned(red), unsigned(green + i), unsigned(blue))) : 0);
                    }
                }
    }

    // Neither what lies behind a row is read nor what lies behind the planes written: there is no memory.
    void keepsToItsMemory() {
        const GuardedEnd row(4096), planes(4096);
        for (int pixels = 1; pixels <= 200; ++pixels) {
            const int stride = (pixels + 63) / 64 * 64;
            separateRgb(row.end() - 3 * pixels, pixels, planes.end() - 4 * stride, stride);
            QVERIFY(
                std::all_of(planes.end() - 4 * stride, planes.end(), [](std::uint8_t level) { return level == 0; }));
        }
        BitPlaneCounts counts;
        countBitPlanes(row.end() - 192 * 7 - 3 * bitPlaneColumns, 192, 3, counts);
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
