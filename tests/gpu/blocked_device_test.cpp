// Every form of `blocked` on a real GPU, whatever the planner would choose for pictures of these sizes: whole numbers,
// whose sums are exact in all of them. What else a form promises is tested by itself (tile_, level_,
// half_device_test).
#include "gpu/device/properties.h"
#include "gpu/image/half.h"
#include "gpu/launch/cuda_launcher.h"
#include "gpu/launch/plan_tiles.h"
#include "tests/gpu/device_requirement.h"

#include <QtTest>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

using namespace tessera;

namespace {

// Rows `padding` pixels longer than the picture is wide.
struct Geometry {
    int width, height, padding;
};
constexpr Geometry geometries[] = {
    {1152, 40, 0}, // several blocks, whole vectors and boxes
    {333, 37, 4},  // rows that only patches take, or what stands in for them
    {1, 1, 15},
};

template <class T> void appendBytes(std::vector<std::byte> &bytes, T value) {
    const auto *from = reinterpret_cast<const std::byte *>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
}
template <class T> T valueAt(const std::vector<std::byte> &bytes, std::size_t sample) {
    T value;
    std::memcpy(&value, bytes.data() + sample * sizeof value, sizeof value);
    return value;
}

std::vector<std::byte> stored(const std::vector<int> &samples, ScalarType type) {
    std::vector<std::byte> bytes;
    for (const int sample : samples)
        type == ScalarType::U8    ? appendBytes(bytes, std::uint8_t(sample))
        : type == ScalarType::U16 ? appendBytes(bytes, std::uint16_t(sample))
        : type == ScalarType::F16 ? appendBytes(bytes, halfBitsFromFloat(float(sample)))
                                  : appendBytes(bytes, float(sample));
    return bytes;
}
double sampleAt(const std::vector<std::byte> &bytes, std::size_t sample, ScalarType type) {
    return type == ScalarType::U8    ? valueAt<std::uint8_t>(bytes, sample)
           : type == ScalarType::U16 ? valueAt<std::uint16_t>(bytes, sample)
           : type == ScalarType::F16 ? double(floatFromHalfBits(valueAt<std::uint16_t>(bytes, sample)))
                                     : double(valueAt<float>(bytes, sample));
}

} // namespace

class BlockedDeviceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const std::string why = test::whyNoDevice(90); !why.empty())
            QSKIP(why.c_str());
        limits_ = cuda::findDevices().devices.front().limits;
    }

    void formsAreExact_data() {
        QTest::addColumn<int>("form");
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("channels");
        QTest::addColumn<int>("side");
        const auto add = [](const char *name, BlockedForm form, ScalarType type, int channels,
                            std::initializer_list<int> sides) {
            for (const int side : sides)
                QTest::addRow("%s x %d, %dx%d", name, channels, side, side)
                    << int(form) << int(type) << channels << side;
        };
        for (const int channels : {1, 4}) {
            add("patches of u8", BlockedForm::Patches, ScalarType::U8, channels, {3, 5, 7});
            add("patches of u16", BlockedForm::Patches, ScalarType::U16, channels, {3, 5, 7});
            add("patches of f16", BlockedForm::Patches, ScalarType::F16, channels, {3, 5, 7});
            add("patches of f32", BlockedForm::Patches, ScalarType::F32, channels, {3, 5, 7});
        }
        add("small patches of u8", BlockedForm::SmallPatches, ScalarType::U8, 1, {3, 5, 7});
        add("small patches of f32", BlockedForm::SmallPatches, ScalarType::F32, 1, {3, 5, 7});
        add("tiles of f32", BlockedForm::Tiles, ScalarType::F32, 1, {3, 5, 7, 9, 11, 13, 15});
        add("tiles of f32", BlockedForm::Tiles, ScalarType::F32, 4, {3, 5, 7});
        add("march", BlockedForm::March, ScalarType::F32, 4, {9, 11, 13, 15});
        add("tiles of u8", BlockedForm::LevelTiles, ScalarType::U8, 1, {3, 5, 7});
        add("tiles of u8", BlockedForm::LevelTiles, ScalarType::U8, 4, {3, 5});
        add("tiles of f16", BlockedForm::HalfTiles, ScalarType::F16, 1, {3, 5, 7, 9});
    }
    void formsAreExact() {
        QFETCH(int, form);
        QFETCH(int, type);
        QFETCH(int, channels);
        QFETCH(int, side);
        const auto taps = std::make_unique<Taps>();
        taps->width = taps->height = side;
        taps->anchorX = taps->anchorY = side / 2;
        for (int i = 0; i < taps->count(); ++i)
            taps->value[i] = float(std::uniform_int_distribution<int>(-1, 2)(generator_));
        for (const Geometry &geometry : geometries)
            for (const BorderMode border : {BorderMode::Zero, BorderMode::Replicate})
                compare(BlockedForm(form), ScalarType(type), channels, geometry, *taps, border);
    }

    // Large pictures have other tiles. Against the naive kernel, whose sums are exact as well.
    void largeTilesAreExact_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("side");
        for (const int side : {3, 5, 7})
            QTest::addRow("u8, %dx%d", side, side) << int(ScalarType::U8) << side;
        QTest::addRow("f32, 7x7") << int(ScalarType::F32) << 7;
    }
    void largeTilesAreExact() {
        QFETCH(int, type);
        QFETCH(int, side);
        const Geometry g{4099, 3001, 13}; // rows of whole 16 bytes, and a tile that is not whole
        QVERIFY(!isSmallForTiles(g.width, g.height));
        Taps taps;
        taps.width = taps.height = side;
        taps.anchorX = taps.anchorY = side / 2;
        for (int i = 0; i < taps.count(); ++i)
            taps.value[i] = float(std::uniform_int_distribution<int>(-1, 2)(generator_));
        std::vector<int> source(std::size_t(g.width + g.padding) * std::size_t(g.height));
        for (int &sample : source)
            sample = std::uniform_int_distribution<int>(0, 9)(generator_);
        const std::vector<std::byte> bytes = stored(source, ScalarType(type));
        for (const BorderName &border : borderNames) {
            const auto made = [&](KernelVariant variant) {
                return launched(variant, std::nullopt, ScalarType(type), 1, g, taps, border.mode, bytes);
            };
            QVERIFY2(made(KernelVariant::Blocked) == made(KernelVariant::Naive), std::string(border.name).c_str());
        }
    }

private:
    void compare(BlockedForm form, ScalarType type, int channels, const Geometry &g, const Taps &taps,
                 BorderMode border) {
        const std::size_t rowSamples = std::size_t(g.width + g.padding) * std::size_t(channels);
        std::vector<int> source(rowSamples * std::size_t(g.height));
        for (int &sample : source)
            sample = std::uniform_int_distribution<int>(0, 3)(generator_);
        const std::vector<std::byte> made =
            launched(KernelVariant::Blocked, form, type, channels, g, taps, border, stored(source, type));
        const int most = type == ScalarType::U8 ? 255 : 65535;
        const bool whole = type == ScalarType::U8 || type == ScalarType::U16;
        for (int y = 0; y < g.height; ++y)
            for (int x = 0; x < g.width * channels; ++x) {
                int sum = 0;
                for (int v = 0; v < taps.height; ++v)
                    for (int u = 0; u < taps.width; ++u) {
                        const int column = borderIndex(border, x / channels + u - taps.anchorX, g.width);
                        const int row = borderIndex(border, y + v - taps.anchorY, g.height);
                        if (column >= 0 && row >= 0)
                            sum +=
                                int(taps.at(u, v)) *
                                source[std::size_t(row) * rowSamples + std::size_t(column * channels + x % channels)];
                    }
                const double wanted = whole ? std::clamp(sum, 0, most) : sum;
                const double got = sampleAt(made, std::size_t(y) * rowSamples + std::size_t(x), type);
                if (got != wanted)
                    QFAIL(qPrintable(QString("%1, %2 is %3, not %4; %5x%6, border %7")
                                         .arg(x)
                                         .arg(y)
                                         .arg(got)
                                         .arg(wanted)
                                         .arg(g.width)
                                         .arg(g.height)
                                         .arg(int(border))));
            }
    }

    // In the planner's form where none is given.
    std::vector<std::byte> launched(KernelVariant variant, std::optional<BlockedForm> form, ScalarType type,
                                    int channels, const Geometry &g, const Taps &taps, BorderMode border,
                                    const std::vector<std::byte> &source) {
        const std::ptrdiff_t pitch = std::ptrdiff_t(g.width + g.padding) * channels * scalarBytes(type);
        ConvolutionRequest request;
        request.source = {source_.reserve(source.size()), g.width, g.height, pitch, type, channels};
        request.target = {target_.reserve(source.size()), g.width, g.height, pitch, type, channels};
        request.border = {border, 0.0};
        request.taps = &taps;
        request.specialise = jit::Specialisation::Never;
        TESSERA_CUDA_CHECK(cudaMemcpy(source_.data(), source.data(), source.size(), cudaMemcpyHostToDevice));
        TESSERA_CUDA_CHECK(cudaMemset(target_.data(), 0xa5, source.size()));
        LaunchPlan plan = planConvolution(variant, shapeOf(request), limits_).plan;
        if (form) {
            plan = planSmallPatches(shapeOf(request)).plan; // the other forms lay themselves out
            plan.form = *form;
        }
        cuda::launchConvolution(plan, request, nullptr);
        std::vector<std::byte> made(source.size());
        TESSERA_CUDA_CHECK(cudaMemcpy(made.data(), target_.data(), made.size(), cudaMemcpyDeviceToHost));
        return made;
    }

    DeviceLimits limits_;
    std::mt19937 generator_{20240611u};
    cuda::DeviceBuffer source_, target_;
};

QTEST_APPLESS_MAIN(BlockedDeviceTest)
#include "blocked_device_test.moc"
