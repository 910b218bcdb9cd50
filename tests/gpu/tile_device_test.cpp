// Float tiles, and the marching kernel beyond them, on a real GPU: wide and high enough for several blocks, every
// border, parts of pictures, rows of any alignment; with taps as data and compiled for the very taps. Against sums in
// double.
#include "gpu/device/properties.h"
#include "gpu/launch/cuda_launcher.h"
#include "gpu/launch/plan_tiles.h"
#include "gpu/launch/tensor_map.h"
#include "tests/gpu/device_requirement.h"

#include <QtTest>

#include <cmath>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

using namespace tessera;

namespace {

// Of the source, and the target's place in it. The pitches are in floats.
struct Geometry {
    int width, height, sourcePitch;
    int originX, originY, targetWidth, targetHeight, targetPitch;
};
constexpr Geometry geometries[] = {
    {1100, 90, 1100, 0, 0, 1100, 90, 1100}, // three blocks of four warps, several strips, whole runs
    {1099, 61, 1104, 0, 0, 1099, 61, 1104}, // a run that is not whole
    {643, 50, 644, 0, 0, 643, 50, 645},     // target rows that no vector can be stored to
    {1100, 90, 1100, 16, 5, 701, 60, 704},  // a part
    {260, 90, 260, 132, 71, 128, 19, 128},  // the corner
    {1100, 20, 1101, 0, 0, 1100, 20, 1100}, // source rows that no box can be fetched from
    {5, 3, 8, 0, 0, 5, 3, 5},
    {1, 1, 4, 0, 0, 1, 1, 1},
};
constexpr float poison = -12345.0f, outside = 0.375f;

// Sums in double, and what a float's rounding may add up to.
struct Expected {
    std::vector<double> value;
    double tolerance = 0;
};

Expected expectedOf(const Geometry &g, const std::vector<float> &source, const Taps &taps, const Border &border,
                    const Finish &finish) {
    // All that the windows see, what lies outside included.
    const int width = g.targetWidth + taps.width - 1, height = g.targetHeight + taps.height - 1;
    std::vector<double> seen;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const int column = borderIndex(border.mode, x + g.originX - taps.anchorX, g.width);
            const int row = borderIndex(border.mode, y + g.originY - taps.anchorY, g.height);
            const std::size_t place = std::size_t(row) * std::size_t(g.sourcePitch) + std::size_t(column);
            seen.push_back(column < 0 || row < 0 ? border.constant : double(source[place]));
        }
    Expected expected;
    double magnitude = 0;
    for (int i = 0; i < taps.count(); ++i)
        magnitude += std::fabs(taps.value[i]);
    expected.tolerance = 1e-6 * magnitude;
    for (int y = 0; y < g.targetHeight; ++y) {
        std::vector<double> sums(std::size_t(g.targetWidth), 0.0);
        for (int v = 0; v < taps.height; ++v)
            for (int u = 0; u < taps.width; ++u) {
                const double *row = seen.data() + std::size_t(y + v) * std::size_t(width) + u;
                for (std::size_t x = 0; x < sums.size(); ++x)
                    sums[x] += double(taps.at(u, v)) * row[x];
            }
        for (const double sum : sums)
            expected.value.push_back(sum / finish.divisor + finish.offset);
    }
    return expected;
}

} // namespace

class TileDeviceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const std::string why = test::whyNoDevice(90); !why.empty())
            QSKIP(why.c_str());
        limits_ = cuda::findDevices().devices.front().limits;
        if (qEnvironmentVariableIsEmpty("XDG_CACHE_HOME"))
            qputenv("XDG_CACHE_HOME", cache_.path().toUtf8()); // what is compiled here is of no use later
    }

    // Else every launch below would go to the kernel that stands in.
    void picturesHaveMaps() {
        cuda::DeviceBuffer memory;
        RawView picture{memory.reserve(1 << 20), 333, 100, 1344, ScalarType::F32, 1};
        const int pitch = FetchLayout::of(15, 1, fetchShape(15, 1, true)).pitch;
        QVERIFY(cuda::tensorMapOf(picture, pitch, 4));
        picture.pitch = 1332;
        QVERIFY(!cuda::tensorMapOf(picture, pitch, 4));
    }

    void agreesWithSumsInDouble_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("anchorX");
        QTest::addColumn<int>("anchorY");
        const int shapes[][4] = {{1, 1, 0, 0},   {3, 3, 1, 1},   {4, 2, 2, 0},   {5, 5, 2, 2},    {7, 7, 3, 3},
                                 {9, 9, 4, 4},   {9, 1, 4, 0},   {11, 11, 5, 5}, {13, 13, 6, 6},  {15, 15, 7, 7},
                                 {10, 12, 3, 7}, {15, 4, 13, 1}, {6, 15, 1, 7},  {15, 15, 14, 0}, {17, 17, 8, 8}};
        for (const auto &[width, height, x, y] : shapes)
            QTest::addRow("%dx%d at %d, %d", width, height, x, y) << width << height << x << y;
    }
    void agreesWithSumsInDouble() {
        auto taps = std::make_unique<Taps>();
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, anchorX);
        QFETCH(int, anchorY);
        taps->width = width;
        taps->height = height;
        taps->anchorX = anchorX;
        taps->anchorY = anchorY;
        for (int i = 0; i < taps->count(); ++i)
            taps->value[i] = random();
        for (const Geometry &geometry : geometries)
            for (const BorderName &border : borderNames)
                compare(geometry, *taps, {border.mode, border.mode == BorderMode::Constant ? double(outside) : 0.0});
    }

private:
    float random() { return std::uniform_real_distribution<float>(-1.0f, 1.0f)(generator_); }

    void compare(const Geometry &g, const Taps &taps, const Border &border) {
        std::vector<float> source(std::size_t(g.sourcePitch) * std::size_t(g.height),
                                  std::nanf("")); // also between rows
        for (int y = 0; y < g.height; ++y)
            for (int x = 0; x < g.width; ++x)
                source[std::size_t(y) * std::size_t(g.sourcePitch) + std::size_t(x)] = random();
        Finish finish;
        finish.divisor = 2.0f;
        finish.offset = 0.25f;
        const Expected expected = expectedOf(g, source, taps, border, finish);
        for (const auto mode : {jit::Specialisation::Never, jit::Specialisation::Always})
            for (const unsigned mask : {~0u, ~1u}) {
                if (mask == ~1u && border.mode != BorderMode::Replicate)
                    continue; // once is enough
                const std::vector<float> actual = launched(g, source, taps, border, finish, mode, mask);
                for (std::size_t i = 0; i < actual.size(); ++i) {
                    const int x = int(i) % g.targetPitch, y = int(i) / g.targetPitch;
                    double wanted = double(poison);
                    if (x < g.targetWidth && y < g.targetHeight)
                        wanted = mask & 1u
                                     ? expected.value[std::size_t(y) * std::size_t(g.targetWidth) + std::size_t(x)]
                                     : source[std::size_t(y + g.originY) * std::size_t(g.sourcePitch) +
                                              std::size_t(x + g.originX)];
                    if (std::fabs(actual[i] - wanted) <= expected.tolerance) // not so where it is no number
                        continue;
                    QFAIL(qPrintable(QString("%1 at %2, %3 is %4, not %5; %6x%7, %8, border %9")
                                         .arg(mask & 1u ? "sum" : "copy")
                                         .arg(x)
                                         .arg(y)
                                         .arg(double(actual[i]))
                                         .arg(wanted)
                                         .arg(g.width)
                                         .arg(g.height)
                                         .arg(mode == jit::Specialisation::Never ? "taps as data" : "compiled")
                                         .arg(int(border.mode))));
                }
            }
    }

    // With a row of poison behind the picture.
    std::vector<float> launched(const Geometry &g, const std::vector<float> &source, const Taps &taps,
                                const Border &border, const Finish &finish, jit::Specialisation mode, unsigned mask) {
        std::vector<float> target(std::size_t(g.targetPitch) * std::size_t(g.targetHeight + 1), poison);
        const std::size_t sourceBytes = source.size() * sizeof(float), targetBytes = target.size() * sizeof(float);
        ConvolutionRequest request;
        request.source = {source_.reserve(sourceBytes), g.width, g.height, 4 * g.sourcePitch, ScalarType::F32, 1};
        request.target = {
            target_.reserve(targetBytes), g.targetWidth, g.targetHeight, 4 * g.targetPitch, ScalarType::F32, 1};
        request.originX = g.originX;
        request.originY = g.originY;
        request.border = border;
        request.finish = finish;
        request.channelMask = mask;
        request.taps = &taps;
        request.specialise = mode;
        TESSERA_CUDA_CHECK(cudaMemcpy(source_.data(), source.data(), sourceBytes, cudaMemcpyHostToDevice));
        TESSERA_CUDA_CHECK(cudaMemcpy(target_.data(), target.data(), targetBytes, cudaMemcpyHostToDevice));
        const PlanResult planned = planConvolution(KernelVariant::Blocked, shapeOf(request), limits_);
        if (!planned.refusal.empty())
            throw std::runtime_error(planned.refusal);
        cuda::launchConvolution(planned.plan, request, nullptr);
        TESSERA_CUDA_CHECK(cudaMemcpy(target.data(), target_.data(), targetBytes, cudaMemcpyDeviceToHost));
        return target;
    }

    QTemporaryDir cache_;
    DeviceLimits limits_;
    std::mt19937 generator_{20240607u};
    cuda::DeviceBuffer source_, target_;
};

QTEST_APPLESS_MAIN(TileDeviceTest)
#include "tile_device_test.moc"
