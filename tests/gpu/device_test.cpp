// The device layer and the kernels that no engine calls yet, on a real GPU. The convolutions are tested through the
// engine contract.
#include "gpu/device/properties.h"
#include "gpu/kernels/histogram.h"
#include "gpu/launch/cuda_launcher.h"
#include "tests/gpu/device_requirement.h"

#include <QtTest>

#include <random>
#include <vector>

using namespace tessera;

namespace {

template <class T> constexpr ScalarType typeOf() {
    return std::is_same_v<T, std::uint8_t>    ? ScalarType::U8
           : std::is_same_v<T, std::uint16_t> ? ScalarType::U16
                                              : ScalarType::F32;
}

// Random pixels in rows with some bytes between them, and the same on the device.
template <class T, int N> struct Sample {
    int width, height;
    std::ptrdiff_t pitch;
    std::vector<Pixel<T, N>> pixels; // without the bytes between
    cuda::DeviceBuffer device;

    Sample(int w, int h, unsigned seed, bool constant)
        : width(w), height(h), pitch(std::ptrdiff_t(sizeof(Pixel<T, N>)) * (w + 3)),
          pixels(std::size_t(w) * std::size_t(h)) {
        std::mt19937 random(seed);
        for (auto &pixel : pixels)
            for (T &value : pixel.channel)
                value = constant                   ? T(7)
                        : std::is_same_v<T, float> ? T(int(random() % 2001) - 1000) / T(500)
                                                   : T(random());
        std::vector<std::byte> rows(std::size_t(pitch) * std::size_t(h), std::byte{0xee});
        for (int y = 0; y < h; ++y)
            std::memcpy(rows.data() + y * pitch, pixels.data() + std::size_t(y) * std::size_t(w),
                        sizeof(Pixel<T, N>) * std::size_t(w));
        TESSERA_CUDA_CHECK(cudaMemcpy(device.reserve(rows.size()), rows.data(), rows.size(), cudaMemcpyHostToDevice));
    }
    RawView view() const { return {device.data(), width, height, pitch, typeOf<T>(), N}; }
};

const std::pair<int, int> sizes[] = {{1, 1}, {1, 300}, {300, 1}, {33, 17}, {1000, 701}};

} // namespace

class DeviceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (const std::string why = test::whyNoDevice(); !why.empty())
            QSKIP(why.c_str());
    }

    void propertiesMakeSense() {
        for (const auto &device : cuda::findDevices().devices) {
            QVERIFY(!device.name.empty());
            QVERIFY(device.limits.sharedBytesPerBlock >= 48 * 1024);
            QVERIFY(device.multiprocessors > 0 && device.memoryBytes > 0);
        }
    }

    void buffersGrowAndMove() {
        cuda::DeviceBuffer buffer;
        QVERIFY(buffer.reserve(100) != nullptr);
        void *kept = buffer.data();
        QVERIFY(buffer.reserve(50) == kept);
        buffer.reserve(1000);
        QVERIFY(buffer.capacity() == 1000);
        cuda::DeviceBuffer moved = std::move(buffer);
        QVERIFY(buffer.data() == nullptr && moved.data() != nullptr);
        QVERIFY_EXCEPTION_THROWN(moved.reserve(std::size_t(1) << 60), cuda::CudaError);
        cudaGetLastError();
    }

    void statisticsAreExact() {
        statistics<std::uint8_t, 1>();
        statistics<std::uint8_t, 4>();
        statistics<std::uint16_t, 1>();
        statistics<std::uint16_t, 4>();
        statistics<float, 1>();
        statistics<float, 4>();
    }

    // Output to the bit that of the plain launch, totals and counts those of that output; for every variant.
    void statisticsFusedWithConvolution() {
        for (const KernelVariant variant : kernelVariants) {
            fused<std::uint8_t, 1>(variant);
            fused<std::uint8_t, 4>(variant);
            fused<std::uint16_t, 4>(variant);
            fused<float, 1>(variant);
        }
        fused<float, 1>(KernelVariant::Blocked);
    }

    // Rows that copies take, and rows that they do not; values that are no numbers,
    // infinite, clipped and above a threshold among their outputs.
    void statisticsFusedWithTiles() {
        for (const int side : {3, 5, 7})
            for (const float threshold : {largestValue<float>(), 0.5f})
                for (const bool special : {false, true})
                    for (const auto &[width, height] : {std::pair{1, 1}, {640, 300}, {1004, 517}, {1001, 517}})
                        tiles(side, width, height, threshold, special);
    }

    void histogramsAreExact() {
        histogram<std::uint8_t, 1>();
        histogram<std::uint8_t, 4>();
        histogram<std::uint16_t, 1>();
        histogram<std::uint16_t, 4>();
    }

private:
    template <class T, int N> void statistics() {
        constexpr int blocks = 64;
        for (const auto &[width, height] : sizes)
            for (const bool constant : {false, true}) {
                const Sample<T, N> sample(width, height, 5u + unsigned(width), constant);
                const std::size_t bytes = cuda::statisticsBytes(typeOf<T>(), N, blocks);
                cuda::DeviceBuffer partial;
                TESSERA_CUDA_CHECK(cudaMemset(partial.reserve(bytes), 0xa5, bytes)); // poison
                cuda::launchStatistics(sample.view(), partial.data(), blocks, nullptr);
                std::vector<ChannelTotals<T>> totals(std::size_t(blocks) * N);
                TESSERA_CUDA_CHECK(cudaMemcpy(totals.data(), partial.data(), bytes, cudaMemcpyDeviceToHost));
                for (int c = 0; c < N; ++c)
                    compareTotals(sample.pixels, totals, c);
            }
    }

    template <class T, int N>
    void compareTotals(const std::vector<Pixel<T, N>> &pixels, const std::vector<ChannelTotals<T>> &partial, int c) {
        ChannelTotals<T> expected = ChannelTotals<T>::identity();
        for (const auto &pixel : pixels)
            expected.add(pixel.channel[c]);
        ChannelTotals<T> sum = ChannelTotals<T>::identity();
        for (std::size_t i = std::size_t(c); i < partial.size(); i += N) {
            sum.sum += partial[i].sum;
            sum.sumOfSquares += partial[i].sumOfSquares;
            sum.minimum = std::min(sum.minimum, partial[i].minimum);
            sum.maximum = std::max(sum.maximum, partial[i].maximum);
            sum.finite += partial[i].finite;
            sum.nan += partial[i].nan;
            sum.infinite += partial[i].infinite;
            sum.clippedLow += partial[i].clippedLow;
            sum.clippedHigh += partial[i].clippedHigh;
        }
        QCOMPARE(sum.finite, expected.finite);
        QCOMPARE(sum.minimum, expected.minimum);
        QCOMPARE(sum.maximum, expected.maximum);
        QCOMPARE(sum.clippedLow, expected.clippedLow);
        QCOMPARE(sum.clippedHigh, expected.clippedHigh);
        QCOMPARE(sum.nan, expected.nan);
        QCOMPARE(sum.infinite, expected.infinite);
        if constexpr (std::is_same_v<T, float>) {
            QVERIFY(std::abs(sum.sum - expected.sum) <= 1e-12 * expected.sumOfSquares + 1e-12);
            QVERIFY(std::abs(sum.sumOfSquares - expected.sumOfSquares) <= 1e-12 * expected.sumOfSquares);
        } else {
            QCOMPARE(sum.sum, expected.sum);
            QCOMPARE(sum.sumOfSquares, expected.sumOfSquares);
        }
    }

    template <class T, int N> void fused(KernelVariant variant) {
        const Sample<T, N> sample(333, 219, 31, false);
        const std::ptrdiff_t pitch = 333 * N * std::ptrdiff_t(sizeof(T));
        const std::size_t bytes = std::size_t(pitch) * 219;
        cuda::DeviceBuffer plain, together, partial, counts, scratch;
        Taps taps;
        taps.width = 5;
        taps.height = 3;
        taps.anchorX = 2;
        taps.anchorY = 1;
        for (int i = 0; i < 15; ++i)
            taps.value[i] = float(i % 4) - 0.5f;
        ConvolutionRequest request;
        request.source = sample.view();
        request.target = {plain.reserve(bytes), 333, 219, pitch, typeOf<T>(), N};
        request.border = {BorderMode::Wrap, 0};
        request.finish.divisor = 14;
        request.taps = &taps;
        const DeviceLimits limits = cuda::findDevices().devices.front().limits;
        TESSERA_CUDA_CHECK(cudaMemset(plain.data(), 0xa5, bytes));
        cuda::launchConvolution(planConvolution(variant, shapeOf(request), limits).plan, request, nullptr);

        DeviceLimits few = limits;
        few.multiprocessors = 2; // each block takes several tiles
        const FusedPlan plan =
            planWithStatistics(variant, shapeOf(request), statisticsSharedBytes(typeOf<T>(), N), few);
        QVERIFY2(plan.refusal.empty(), plan.refusal.c_str());
        constexpr std::size_t bins = sizeof(T) == 1 ? 256 : 65536;
        const std::size_t countBytes = (N == 4 ? 5 : 1) * bins * 8;
        const std::size_t partialBytes = cuda::statisticsBytes(typeOf<T>(), N, plan.partialRows);
        TESSERA_CUDA_CHECK(cudaMemset(together.reserve(bytes), 0x5a, bytes));
        TESSERA_CUDA_CHECK(cudaMemset(counts.reserve(countBytes), 0, countBytes));
        TESSERA_CUDA_CHECK(cudaMemset(partial.reserve(partialBytes), 0xa5, partialBytes));
        request.target.data = together.data();
        cuda::launchConvolutionWithStatistics(plan, request,
                                              {partial.data(), static_cast<unsigned long long *>(counts.data()),
                                               largestValue<float>(), scratch.reserve(plan.scratchBytes)},
                                              nullptr);

        std::vector<Pixel<T, N>> a(333 * 219), b(a.size());
        std::vector<unsigned long long> counted(countBytes / 8), expected(counted.size(), 0);
        std::vector<ChannelTotals<T>> totals(std::size_t(plan.partialRows) * N);
        TESSERA_CUDA_CHECK(cudaMemcpy(a.data(), plain.data(), bytes, cudaMemcpyDeviceToHost));
        TESSERA_CUDA_CHECK(cudaMemcpy(b.data(), together.data(), bytes, cudaMemcpyDeviceToHost));
        TESSERA_CUDA_CHECK(cudaMemcpy(counted.data(), counts.data(), countBytes, cudaMemcpyDeviceToHost));
        TESSERA_CUDA_CHECK(cudaMemcpy(totals.data(), partial.data(), partialBytes, cudaMemcpyDeviceToHost));
        QVERIFY(std::memcmp(a.data(), b.data(), bytes) == 0);
        for (int c = 0; c < N; ++c)
            compareTotals(a, totals, c);
        if constexpr (!std::is_same_v<T, float>) {
            for (const auto &pixel : a) {
                for (int c = 0; c < N; ++c)
                    ++expected[std::size_t(c) * bins + pixel.channel[c]];
                if constexpr (N == 4)
                    ++expected[4 * bins + luminanceLevel(pixel)];
            }
            QVERIFY(counted == expected);
        }
    }

    void tiles(int side, int width, int height, float threshold, bool special) {
        const std::ptrdiff_t pitch = (width + 7) / 4 * 16;
        const std::size_t stride = std::size_t(pitch) / 4, count = stride * std::size_t(height), bytes = count * 4;
        std::mt19937 random(unsigned(side * 1000 + width));
        std::vector<float> picture(count), a(count), b(count);
        for (float &value : picture)
            value = float(random() % 2000) / 1000.0f - 0.4f;
        if (special) {
            picture[count / 2] = std::numeric_limits<float>::quiet_NaN();
            picture[count / 3] = std::numeric_limits<float>::infinity();
            picture[0] = -std::numeric_limits<float>::infinity();
        }
        Taps taps;
        taps.width = taps.height = side;
        taps.anchorX = taps.anchorY = side / 2;
        for (int i = 0; i < side * side; ++i)
            taps.value[i] = float(i % 5 - 1) / float(side * side);
        cuda::DeviceBuffer source, plain, together, partial, scratch;
        TESSERA_CUDA_CHECK(cudaMemcpy(source.reserve(bytes), picture.data(), bytes, cudaMemcpyHostToDevice));
        ConvolutionRequest request;
        request.source = {source.data(), width, height, pitch, ScalarType::F32, 1};
        request.target = {plain.reserve(bytes), width, height, pitch, ScalarType::F32, 1};
        request.border = {BorderMode::Reflect101, 0};
        request.taps = &taps;
        TESSERA_CUDA_CHECK(cudaMemset(plain.data(), 0xa5, bytes));
        TESSERA_CUDA_CHECK(cudaMemset(together.reserve(bytes), 0x5a, bytes));
        cuda::launchConvolution(planPatches(shapeOf(request)).plan, request, nullptr);
        const DeviceLimits limits = cuda::findDevices().devices.front().limits;
        const FusedPlan plan = planWithStatistics(KernelVariant::Blocked, shapeOf(request), 0, limits);
        QVERIFY2(plan.refusal.empty(), plan.refusal.c_str());
        std::vector<ChannelTotals<float>> totals(std::size_t(plan.partialRows));
        const std::size_t partialBytes = totals.size() * sizeof(totals[0]);
        TESSERA_CUDA_CHECK(cudaMemset(partial.reserve(partialBytes), 0xa5, partialBytes));
        TESSERA_CUDA_CHECK(cudaMemset(scratch.reserve(plan.scratchBytes), 0xa5, plan.scratchBytes));
        request.target.data = together.data();
        cuda::launchConvolutionWithStatistics(plan, request, {partial.data(), nullptr, threshold, scratch.data()},
                                              nullptr);
        TESSERA_CUDA_CHECK(cudaMemcpy(a.data(), plain.data(), bytes, cudaMemcpyDeviceToHost));
        TESSERA_CUDA_CHECK(cudaMemcpy(b.data(), together.data(), bytes, cudaMemcpyDeviceToHost));
        TESSERA_CUDA_CHECK(cudaMemcpy(totals.data(), partial.data(), partialBytes, cudaMemcpyDeviceToHost));
        std::vector<Pixel<float, 1>> pixels;
        unsigned long long above = 0, foundAbove = 0;
        for (int y = 0; y < height; ++y) {
            const std::size_t row = std::size_t(y) * stride;
            QVERIFY(std::memcmp(&a[row], &b[row], std::size_t(width) * 4) == 0);
            for (std::size_t i = row; i < row + std::size_t(width); ++i) {
                pixels.push_back({a[i]});
                above += a[i] > threshold;
            }
        }
        for (const auto &row : totals)
            foundAbove += row.above;
        QCOMPARE(foundAbove, above);
        compareTotals(pixels, totals, 0);
    }

    template <class T, int N> void histogram() {
        using Kernel = Histogram<Pixel<T, N>>;
        for (const auto &[width, height] : sizes)
            for (const bool constant : {false, true}) {
                const Sample<T, N> sample(width, height, 9u + unsigned(width), constant);
                constexpr std::size_t count = std::size_t(Kernel::bins) * Kernel::rows;
                cuda::DeviceBuffer device;
                TESSERA_CUDA_CHECK(cudaMemset(device.reserve(count * 8), 0, count * 8));
                cuda::launchHistogram(sample.view(), static_cast<unsigned long long *>(device.data()), 64, nullptr);
                std::vector<unsigned long long> counted(count), expected(count, 0);
                TESSERA_CUDA_CHECK(cudaMemcpy(counted.data(), device.data(), count * 8, cudaMemcpyDeviceToHost));
                for (const auto &pixel : sample.pixels) {
                    for (int c = 0; c < N; ++c)
                        ++expected[std::size_t(c) * Kernel::bins + pixel.channel[c]];
                    if constexpr (N == 4)
                        ++expected[4 * std::size_t(Kernel::bins) + luminanceLevel(pixel)];
                }
                QVERIFY(counted == expected);
            }
    }
};

QTEST_APPLESS_MAIN(DeviceTest)
#include "device_test.moc"
