// The form of `blocked` of tiles of half pictures, on a real GPU: several blocks, every border, parts
// of pictures, infinities. Against sums in double, within the bound that gpu/kernels/half_tile.h states.
#include "gpu/launch/cuda_variants.h"
#include "tests/gpu/device_requirement.h"

#include <QtTest>

#include <cmath>
#include <memory>
#include <random>
#include <vector>

using namespace tessera;

namespace {

// Of the source, and the target's place in it. The pitches are in halves.
struct Geometry {
    int width, height, sourcePitch;
    int originX, originY, targetWidth, targetHeight, targetPitch;
};
constexpr Geometry taken[] = {
    {1152, 90, 1152, 0, 0, 1152, 90, 1152}, // whole tiles, several blocks and strips
    {1149, 61, 1152, 0, 0, 1149, 61, 1150}, // rows that are no whole 16 bytes
    {700, 90, 704, 24, 5, 333, 60, 334},    // a part
    {5, 3, 8, 0, 0, 5, 3, 6},
    {1, 1, 8, 0, 0, 1, 1, 2},
};
constexpr Geometry refused[] = {
    {300, 40, 301, 0, 0, 300, 40, 304}, // source rows that no box can be fetched from
    {300, 40, 304, 0, 0, 300, 40, 301}, // target rows that no pair can be stored to
    {300, 40, 304, 4, 0, 200, 40, 208}, // a part that begins between
};
constexpr std::uint16_t poison = 0x1234;
constexpr float outside = 0.375f;

} // namespace

class HalfDeviceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const std::string why = test::whyNoDevice(90); !why.empty())
            QSKIP(why.c_str());
    }

    void agreesWithSumsInDouble_data() {
        QTest::addColumn<int>("side");
        QTest::addColumn<bool>("finite");
        for (const int side : {3, 4, 5, 7, 9})
            for (const bool finite : {true, false})
                QTest::addRow("%dx%d%s", side, side, finite ? "" : ", infinities") << side << finite;
    }
    void agreesWithSumsInDouble() {
        QFETCH(int, side);
        QFETCH(bool, finite);
        const std::unique_ptr<Taps> taps = tapsOf(side);
        for (const Geometry &g : taken)
            for (const BorderName &border : borderNames)
                compare(g, *taps, {border.mode, border.mode == BorderMode::Constant ? double(outside) : 0.0}, finite);
    }

    void refusesWhatCopiesCannotTake() {
        const std::unique_ptr<Taps> taps = tapsOf(5);
        std::vector<std::uint16_t> target;
        for (const Geometry &g : refused)
            QVERIFY(!launched(g, randomHalves(g, true), *taps, {}, Finish{}, target));
    }

private:
    std::unique_ptr<Taps> tapsOf(int side) {
        auto taps = std::make_unique<Taps>();
        taps->width = taps->height = side;
        taps->anchorX = taps->anchorY = side / 2;
        for (int i = 0; i < taps->count(); ++i)
            taps->value[i] = std::uniform_real_distribution<float>(-1.0f, 1.5f)(generator_);
        return taps;
    }

    std::vector<std::uint16_t> randomHalves(const Geometry &g, bool finite) {
        std::vector<std::uint16_t> bits(std::size_t(g.sourcePitch) * std::size_t(g.height + 1));
        for (std::uint16_t &half : bits) {
            half = halfBitsFromFloat(std::uniform_real_distribution<float>(-1.0f, 1.0f)(generator_));
            if (!finite && generator_() % 1024 == 0)
                half = generator_() % 2 == 0 ? 0x7c00 : 0x7e00;
        }
        return bits;
    }

    void compare(const Geometry &g, const Taps &taps, const Border &border, bool finite) {
        const std::vector<std::uint16_t> source = randomHalves(g, finite);
        const Finish finish{2.0f, 0.25f, Response::Clamp};
        std::vector<std::uint16_t> actual;
        QVERIFY(launched(g, source, taps, border, finish, actual));
        double magnitude = 0;
        for (int i = 0; i < taps.count(); ++i)
            magnitude += std::fabs(double(taps.value[i])) / 2;
        const int side = std::max(taps.width | 1, 5);
        const double tolerance = magnitude * (0x1p-22 + 4 * side * 0x1p-23) + 0x1p-23;
        for (int i = 0; i < int(actual.size()); ++i) {
            const int x = i % g.targetPitch, y = i / g.targetPitch;
            if (x >= g.targetWidth || y >= g.targetHeight) {
                QCOMPARE(actual[std::size_t(i)], poison);
                continue;
            }
            double sum = 0;
            bool special = false; // a centred square's zeros may meet an infinity too
            for (int v = -1; v <= taps.height; ++v)
                for (int u = -1; u <= taps.width; ++u) {
                    const int column = borderIndex(border.mode, x + g.originX + u - taps.anchorX, g.width);
                    const int row = borderIndex(border.mode, y + g.originY + v - taps.anchorY, g.height);
                    const double value =
                        column < 0 || row < 0
                            ? border.constant
                            : double(floatFromHalfBits(source[std::size_t(row * g.sourcePitch + column)]));
                    const bool tap = u >= 0 && v >= 0 && u < taps.width && v < taps.height;
                    special = special || !std::isfinite(value);
                    if (tap)
                        sum += double(taps.at(u, v)) * value;
                }
            const double wanted = sum / double(finish.divisor) + double(finish.offset);
            const double got = double(floatFromHalfBits(actual[std::size_t(i)]));
            if (special && !std::isfinite(got) && (taps.width < side || std::isnan(got) == std::isnan(wanted)))
                continue;
            if (!(std::fabs(got - wanted) <= tolerance + std::fabs(wanted) * 0x1p-11 + 0x1p-25))
                QFAIL(qPrintable(QString("%1, %2 is %3, not %4; %5x%6, border %7")
                                     .arg(x)
                                     .arg(y)
                                     .arg(got)
                                     .arg(wanted)
                                     .arg(g.width)
                                     .arg(g.height)
                                     .arg(int(border.mode))));
        }
    }

    // With a row of poison behind the target.
    bool launched(const Geometry &g, const std::vector<std::uint16_t> &source, const Taps &taps, const Border &border,
                  const Finish &finish, std::vector<std::uint16_t> &target) {
        target.assign(std::size_t(g.targetPitch) * std::size_t(g.targetHeight + 1), poison);
        const std::size_t sourceBytes = 2 * source.size(), targetBytes = 2 * target.size();
        ConvolutionRequest request;
        request.source = {source_.reserve(sourceBytes), g.width, g.height, 2 * g.sourcePitch, ScalarType::F16, 1};
        request.target = {
            target_.reserve(targetBytes), g.targetWidth, g.targetHeight, 2 * g.targetPitch, ScalarType::F16, 1};
        request.originX = g.originX;
        request.originY = g.originY;
        request.border = border;
        request.finish = finish;
        request.taps = &taps;
        TESSERA_CUDA_CHECK(cudaMemcpy(source_.data(), source.data(), sourceBytes, cudaMemcpyHostToDevice));
        TESSERA_CUDA_CHECK(cudaMemcpy(target_.data(), target.data(), targetBytes, cudaMemcpyHostToDevice));
        const bool done = cuda::launchHalfTile(request, cuda::LaunchTarget(cuda::StreamView(nullptr)));
        TESSERA_CUDA_CHECK(cudaMemcpy(target.data(), target_.data(), targetBytes, cudaMemcpyDeviceToHost));
        return done;
    }

    std::mt19937 generator_{20240610u};
    cuda::DeviceBuffer source_, target_;
};

QTEST_APPLESS_MAIN(HalfDeviceTest)
#include "half_device_test.moc"
