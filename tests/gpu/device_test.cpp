// The device layer and the kernels that no engine calls yet, on a real GPU. The convolutions are tested through the
// engine contract.
#include "gpu/device/properties.h"
#include "gpu/kernels/histogram.h"
#include "gpu/launch/cuda_launcher.h"

#include <QtTest>

#include <random>
#include <vector>

using namespace tessera;

namespace {

template <class T> constexpr ScalarType typeOf() {
    return std::is_same_v<T, std::uint8_t> ? ScalarType::U8 : std::is_same_v<T, std::uint16_t> ? ScalarType::U16
                                                                                              : ScalarType::F32;
}

// Random pixels in rows with some bytes between them, and the same on the device.
template <class T, int N> struct Sample {
    int width, height;
    std::ptrdiff_t pitch;
    std::vector<Pixel<T, N>> pixels; // without the bytes between
    cuda::DeviceBuffer device;

    Sample(int w, int h, unsigned seed, bool constant)
        : width(w), height(h), pitch(std::ptrdiff_t(sizeof(Pixel<T, N>)) * (w + 3)), pixels(std::size_t(w) * std::size_t(h)) {
        std::mt19937 random(seed);
        for (auto &pixel : pixels)
            for (T &value : pixel.channel)
                value = constant ? T(7) : std::is_same_v<T, float> ? T(int(random() % 2001) - 1000) / T(500) : T(random());
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
        const cuda::DeviceList list = cuda::findDevices();
        if (list.devices.empty())
            QSKIP(("skipped: no CUDA device (" + list.reason + ")").c_str());
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
                    compareTotals(sample, totals, c);
            }
    }

    template <class T, int N>
    void compareTotals(const Sample<T, N> &sample, const std::vector<ChannelTotals<T>> &partial, int c) {
        ChannelTotals<T> expected = ChannelTotals<T>::identity();
        for (const auto &pixel : sample.pixels)
            expected.add(pixel.channel[c]);
        ChannelTotals<T> sum = ChannelTotals<T>::identity();
        for (std::size_t i = std::size_t(c); i < partial.size(); i += N) {
            sum.sum += partial[i].sum;
            sum.sumOfSquares += partial[i].sumOfSquares;
            sum.minimum = std::min(sum.minimum, partial[i].minimum);
            sum.maximum = std::max(sum.maximum, partial[i].maximum);
            sum.finite += partial[i].finite;
            sum.clippedLow += partial[i].clippedLow;
            sum.clippedHigh += partial[i].clippedHigh;
        }
        QCOMPARE(sum.finite, expected.finite);
        QCOMPARE(sum.minimum, expected.minimum);
        QCOMPARE(sum.maximum, expected.maximum);
        QCOMPARE(sum.clippedLow, expected.clippedLow);
        QCOMPARE(sum.clippedHigh, expected.clippedHigh);
        if constexpr (std::is_same_v<T, float>) {
            QVERIFY(std::abs(sum.sum - expected.sum) <= 1e-12 * expected.sumOfSquares + 1e-12);
            QVERIFY(std::abs(sum.sumOfSquares - expected.sumOfSquares) <= 1e-12 * expected.sumOfSquares);
        } else {
            QCOMPARE(sum.sum, expected.sum);
            QCOMPARE(sum.sumOfSquares, expected.sumOfSquares);
        }
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
