// The form of `blocked` of tiles of 8-bit pictures, on a real GPU: wide and high enough for several blocks, every
// border, parts of pictures, every kind of finish. Against sums in double.
#include "gpu/launch/cuda_variants.h"
#include "tests/gpu/device_requirement.h"

#include <QtTest>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

using namespace tessera;

namespace {

// Of the source, and the target's place in it. The pitches are in bytes.
struct Geometry {
    int channels, width, height, sourcePitch;
    int originX, originY, targetWidth, targetHeight, targetPitch;
};
constexpr Geometry taken[] = {
    {1, 2304, 50, 2304, 0, 0, 2304, 50, 2304}, // whole tiles, several blocks and strips
    {1, 2301, 37, 2304, 0, 0, 2301, 37, 2320}, // rows that are no whole 16 bytes
    {1, 1300, 90, 1312, 48, 5, 701, 60, 704},  // a part
    {1, 1300, 90, 1312, 1296, 71, 4, 19, 16},  // the corner
    {1, 5, 3, 16, 0, 0, 5, 3, 16},
    {1, 1, 1, 16, 0, 0, 1, 1, 16},
    {4, 1200, 40, 4800, 0, 0, 1200, 40, 4800},
    {4, 613, 37, 2464, 0, 0, 613, 37, 2456}, // target rows of whole pairs of pixels
    {4, 613, 50, 2464, 36, 5, 501, 40, 2048},
    {4, 5, 3, 32, 0, 0, 5, 3, 24},
};
constexpr Geometry refused[] = {
    {1, 300, 40, 301, 0, 0, 300, 40, 304}, // source rows that no box can be fetched from
    {1, 300, 40, 304, 0, 0, 300, 40, 300}, // target rows that none can be sent to
    {1, 300, 40, 304, 8, 0, 200, 40, 208}, // a part that begins between
    {4, 300, 40, 1200, 0, 0, 300, 40, 1204}, {4, 300, 40, 1200, 2, 0, 200, 40, 800},
};
constexpr std::uint8_t poison = 0xcd, outside = 37;

// A border's constant is one level.
Border borderOf(BorderMode mode) { return {mode, mode == BorderMode::Constant ? double(outside) : 0.0}; }

} // namespace

class LevelDeviceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const std::string why = test::whyNoDevice(90); !why.empty())
            QSKIP(why.c_str());
    }

    void agreesWithSumsInDouble_data() {
        QTest::addColumn<int>("side");
        QTest::addColumn<bool>("whole");
        for (const int side : {1, 2, 3, 4, 5, 6, 7})
            for (const bool whole : {false, true})
                if (whole || side > 2) // too few taps that are rounded are left to patches
                    QTest::addRow("%dx%d%s", side, side, whole ? ", whole taps" : "") << side << whole;
    }
    void agreesWithSumsInDouble() {
        QFETCH(int, side);
        QFETCH(bool, whole);
        const std::unique_ptr<Taps> taps = tapsOf(side, whole);
        int turn = 0;
        for (const Geometry &g : taken) {
            if (g.channels == 4 && side > 5)
                continue;
            for (const BorderName &border : borderNames)
                compare(g, *taps, borderOf(border.mode), finishes[std::size_t(turn++) % finishes.size()], whole);
        }
    }

    void refusesWhatCopiesCannotTake() {
        const std::unique_ptr<Taps> taps = tapsOf(3, false);
        std::vector<std::uint8_t> target;
        for (const Geometry &g : refused)
            QVERIFY(!launched(g, randomBytes(g), *taps, borderOf(BorderMode::Wrap), Finish{}, ~0u, target));
        QVERIFY(!launched(taken[6], randomBytes(taken[6]), *taps, borderOf(BorderMode::Wrap), Finish{}, 7u, target));
    }

private:
    static constexpr std::array<Finish, 7> finishes{{{1.0f, 0.0f, Response::Clamp},
                                                     {2.0f, 0.0f, Response::Clamp},
                                                     {6.0f, 1.0f, Response::Signed},
                                                     {-3.0f, 2.5f, Response::Absolute},
                                                     {7.0f, 0.5f, Response::Clamp},
                                                     {4.0f, -3.0f, Response::Clamp},
                                                     {10.0f, 0.0f, Response::Absolute}}};

    // Off their centre where the side is even.
    std::unique_ptr<Taps> tapsOf(int side, bool whole) {
        auto taps = std::make_unique<Taps>();
        taps->width = taps->height = side;
        taps->anchorX = side / 2;
        taps->anchorY = side / 2;
        for (int i = 0; i < taps->count(); ++i)
            taps->value[i] = whole ? float(std::uniform_int_distribution<int>(-3, 4)(generator_))
                                   : std::uniform_real_distribution<float>(-1.0f, 1.5f)(generator_);
        return taps;
    }

    std::vector<std::uint8_t> randomBytes(const Geometry &g) {
        std::vector<std::uint8_t> bytes(std::size_t(g.sourcePitch) * std::size_t(g.height + 1));
        for (std::uint8_t &byte : bytes)
            byte = std::uint8_t(generator_());
        return bytes;
    }

    // Exact with whole taps; else to the nearest level but for sums that end close to half of one.
    void compare(const Geometry &g, const Taps &taps, const Border &border, const Finish &finish, bool whole) {
        const std::vector<std::uint8_t> source = randomBytes(g);
        std::vector<std::uint8_t> actual;
        QVERIFY(launched(g, source, taps, border, finish, ~0u, actual));
        const auto at = [&](int x, int y, int c) {
            const int column = borderIndex(border.mode, x, g.width), row = borderIndex(border.mode, y, g.height);
            return column < 0 || row < 0 ? border.constant
                                         : double(source[std::size_t(row * g.sourcePitch + column * g.channels + c)]);
        };
        for (int i = 0; i < int(actual.size()); ++i) {
            const int y = i / g.targetPitch, x = i % g.targetPitch / g.channels, c = i % g.targetPitch % g.channels;
            if (y >= g.targetHeight || x >= g.targetWidth) {
                QCOMPARE(actual[std::size_t(i)], poison);
                continue;
            }
            double sum = 0;
            for (int v = 0; v < taps.height; ++v)
                for (int u = 0; u < taps.width; ++u)
                    sum += double(taps.at(u, v)) *
                           at(x + g.originX + u - taps.anchorX, y + g.originY + v - taps.anchorY, c);
            const double slack = whole ? 0.0 : 1e-3 * std::fabs(double(finish.divisor));
            const int low = finishValue<std::uint8_t>(finish, sum - slack), got = actual[std::size_t(i)];
            const int high = finishValue<std::uint8_t>(finish, sum + slack);
            // A magnitude's least value may lie in between.
            const bool turns = !whole && std::fabs(sum / double(finish.divisor) + double(finish.offset)) <= 2e-3;
            if ((got < std::min(low, high) || got > std::max(low, high)) && !turns)
                QFAIL(qPrintable(QString("%1, %2 is %3, not %4 to %5; %6x%7 of %8 channels, border %9")
                                     .arg(x)
                                     .arg(y)
                                     .arg(got)
                                     .arg(low)
                                     .arg(high)
                                     .arg(g.width)
                                     .arg(g.height)
                                     .arg(g.channels)
                                     .arg(int(border.mode))));
        }
    }

    // With a row of poison behind the target.
    bool launched(const Geometry &g, const std::vector<std::uint8_t> &source, const Taps &taps, const Border &border,
                  const Finish &finish, unsigned mask, std::vector<std::uint8_t> &target) {
        target.assign(std::size_t(g.targetPitch) * std::size_t(g.targetHeight + 1), poison);
        ConvolutionRequest request;
        request.source = {source_.reserve(source.size()), g.width, g.height, g.sourcePitch, ScalarType::U8, g.channels};
        request.target = {
            target_.reserve(target.size()), g.targetWidth, g.targetHeight, g.targetPitch, ScalarType::U8, g.channels};
        request.originX = g.originX;
        request.originY = g.originY;
        request.border = border;
        request.finish = finish;
        request.channelMask = mask;
        request.taps = &taps;
        TESSERA_CUDA_CHECK(cudaMemcpy(source_.data(), source.data(), source.size(), cudaMemcpyHostToDevice));
        TESSERA_CUDA_CHECK(cudaMemcpy(target_.data(), target.data(), target.size(), cudaMemcpyHostToDevice));
        const bool done = cuda::launchLevelTile(request, cuda::LaunchTarget(cuda::StreamView(nullptr)));
        TESSERA_CUDA_CHECK(cudaMemcpy(target.data(), target_.data(), target.size(), cudaMemcpyDeviceToHost));
        return done;
    }

    std::mt19937 generator_{20240609u};
    cuda::DeviceBuffer source_, target_;
};

QTEST_APPLESS_MAIN(LevelDeviceTest)
#include "level_device_test.moc"
