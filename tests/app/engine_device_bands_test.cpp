// Jobs that are larger than a device's memory: how they are cut, and that their bands give the whole. Built twice: the
// second time over CUDA devices, each held to less memory than the pictures take.
#include "app/engines/device_bands.h"
#include "app/engines/kernel_variants.h"
#include "app/engines/peers/peer_names.h"
#include "tests/app/engine_test_support.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr BorderMode modes[] = {BorderMode::Zero,    BorderMode::Constant,   BorderMode::Replicate,
                                BorderMode::Reflect, BorderMode::Reflect101, BorderMode::Wrap};

std::shared_ptr<Engine> engineOf(DeviceKind kind) {
    for (const std::shared_ptr<Engine> &engine : availableEngines())
        if (engine->deviceKind() == kind)
            return engine;
    return nullptr;
}

struct Picture {
    Picture(int width, int height, PixelFormat format, Random &random) : image(width, height, format) {
        std::uniform_int_distribution<int> any(0, 255);
        if (format.depth != Depth::F32) {
            std::ranges::generate(bytes(), [&] { return std::byte(any(random)); });
            return;
        }
        for (int y = 0; y < height; ++y)
            for (int i = 0; i < width * format.channels; ++i)
                reinterpret_cast<float *>(image.view().data + y * image.view().pitch)[i] = float(any(random)) / 255.0f;
    }
    std::span<std::byte> bytes() { return {image.view().data, std::size_t(image.view().pitch) * image.view().height}; }

    Image image;
};

ConvolutionJob jobOf(const Image &source, Image &target, const ConvolutionKernel &kernel, BorderMode mode) {
    ConvolutionJob job;
    job.source = source.view();
    job.target = target.view();
    job.region = {0, 0, target.view().width, target.view().height};
    job.kernel = &kernel;
    job.border = {mode, 100.0};
    job.finish = averaging(kernel);
    return job;
}

bool sameRows(const Image &a, const Image &b) {
    const ConstPixelView left = a.view(), right = b.view();
    const std::size_t bytes = std::size_t(left.width) * std::size_t(left.format.bytesPerPixel());
    for (int y = 0; y < left.height; ++y)
        if (std::memcmp(left.data + y * left.pitch, right.data + y * right.pitch, bytes) != 0)
            return false;
    return true;
}

} // namespace

class EngineDeviceBandsTest : public QObject {
    Q_OBJECT

#if defined(TESSERA_TEST_CUDA_ONLY)
private slots:
    void initTestCase() {
        if (!engineOf(DeviceKind::Cuda)) {
            std::puts("skipped: no CUDA device");
            std::fflush(stdout);
            QSKIP("no CUDA device");
        }
    }
    void cleanup() { qunsetenv("TESSERA_GPU_MEMORY"); }

    void bandsAreTheWhole_data() {
        QTest::addColumn<QString>("variant");
        QTest::newRow("its own choice") << QString();
        if (!engineOf(DeviceKind::Cuda))
            return;
        for (const VariantInfo &variant : engineOf(DeviceKind::Cuda)->variants())
            if (variant.name != "npp" && variant.name != "cudnn")
                QTest::newRow(variant.name.c_str()) << QString::fromStdString(variant.name);
    }
    // Every border and kind of pixels, regions that begin somewhere, kernels of one and of full rank.
    void bandsAreTheWhole() {
        QFETCH(const QString, variant);
        const std::string name = variant.toStdString();
        Engine &engine = *engineOf(DeviceKind::Cuda);
        int banded = 0;
        for (const PixelFormat format :
             {PixelFormat{Depth::U8, 1}, {Depth::U8, 3}, {Depth::U8, 4}, {Depth::U16, 1}, {Depth::F32, 1}, {
                  Depth::F32,
                  4
              }})
            for (const int side : {3, 7, 15, 31}) {
                const Picture source(701, 1100, format, random_);
                ConvolutionKernel kernel = randomKernel(side, side, random_);
                if (side == 15 || name == "separable")
                    kernel = ConvolutionKernel::centred(side, side, std::vector<double>(std::size_t(side) * side, 1.0));
                const BorderMode mode = modes[std::size_t(banded) % 5]; // all but the last, which cannot be cut
                Image whole(640, 1060, format), bands(640, 1060, format);
                ConvolutionJob job = jobOf(source.image, whole, kernel, mode);
                job.region = {32, 20, 640, 1060};
                job.variant = name;
                if (!engine.refusal(job).empty())
                    continue;
                qunsetenv("TESSERA_GPU_MEMORY");
                QVERIFY(engine.convolve(job, {}).note.empty());
                job.target = bands.view();
                const std::uint64_t limit = deviceBytes(job, KernelVariant::Naive) / 2;
                qputenv("TESSERA_GPU_MEMORY",
                        QByteArray::number(qulonglong(limit + (name == "fft" ? 100'000'000 : 0))));
                const RunTimes times = engine.convolve(job, {});
                if (times.note.empty()) // its transforms have room at once
                    continue;
                QVERIFY2(times.note.find("in bands of") != std::string::npos, times.note.c_str());
                ++banded;
                if (times.note.find("rounding") == std::string::npos)
                    QVERIFY2(sameRows(whole, bands), (name + " " + std::to_string(side)).c_str());
            }
        QVERIFY(banded > 0 || name == "fft");
    }

    // Of a large picture that is the only one, by every variant: in bands unless its times are to be told apart, and to
    // the last bit the same.
    void overlappingIsTheWhole_data() {
        QTest::addColumn<int>("depth");
        QTest::addColumn<int>("channels");
        QTest::addColumn<int>("mode");
        QTest::newRow("8-bit RGB") << int(Depth::U8) << 3 << int(BorderMode::Reflect);
        QTest::newRow("16-bit RGBA") << int(Depth::U16) << 4 << int(BorderMode::Zero);
        QTest::newRow("float") << int(Depth::F32) << 1 << int(BorderMode::Replicate);
    }
    void overlappingIsTheWhole() {
        QFETCH(const int, depth);
        QFETCH(const int, channels);
        QFETCH(const int, mode);
        Engine &engine = *engineOf(DeviceKind::Cuda);
        const PixelFormat format{Depth(depth), channels};
        const Picture source(3011, 3777, format, random_);
        Image apart(3011, 3777, format), overlapping(3011, 3777, format);
        int overlapped = 0;
        for (const int side : {3, 15, 63}) {
            const ConvolutionKernel kernel = randomKernel(side, side, random_);
            for (const VariantInfo &info : engine.variants()) {
                ConvolutionJob job = jobOf(source.image, apart, kernel, BorderMode(mode));
                job.variant = info.name;
                job.timesApart = true;
                if (isPeerVariant(info.name) || !engine.refusal(job).empty())
                    continue;
                QVERIFY(engine.convolve(job, {}).plan.find("overlap") == std::string::npos);
                job.target = overlapping.view();
                job.timesApart = false;
                overlapped += engine.convolve(job, {}).plan.find("overlap") != std::string::npos;
                QVERIFY2(sameRows(apart, overlapping), (info.name + " " + std::to_string(side)).c_str());
            }
        }
        QVERIFY(overlapped >= 6);
    }

    // Said as what it is, and the device works on.
    void tooLittleMemory() {
        Engine &engine = *engineOf(DeviceKind::Cuda);
        const Picture source(2000, 500, {Depth::U8, 4}, random_);
        Image target(2000, 500, {Depth::U8, 4});
        const ConvolutionKernel kernel = randomKernel(5, 5, random_);
        ConvolutionJob job = jobOf(source.image, target, kernel, BorderMode::Wrap);
        qputenv("TESSERA_GPU_MEMORY", "100K");
        try {
            engine.convolve(job, {});
            QFAIL("it ran");
        } catch (const Error &error) {
            QCOMPARE(error.kind(), ErrorKind::Limit);
            QVERIFY(error.remedy().find("TESSERA_GPU_MEMORY") != std::string::npos);
        }
        qunsetenv("TESSERA_GPU_MEMORY");
        engine.convolve(job, {});
    }
#else
private slots:
    // Every band keeps to its share, and together they are the region.
    void bandsFit() {
        const Picture source(1001, 2000, {Depth::U8, 3}, random_);
        Image target(1001, 2000, {Depth::F32, 3});
        for (const int side : {1, 5, 31}) {
            const ConvolutionKernel kernel = randomKernel(side, side, random_);
            ConvolutionJob job = jobOf(source.image, target, kernel, BorderMode::Reflect);
            for (const KernelVariant variant : {KernelVariant::Naive, KernelVariant::Tensor, KernelVariant::Fft}) {
                const std::uint64_t whole = deviceBytes(job, variant);
                for (int share = 1; share <= 12; ++share) {
                    const std::uint64_t budget = whole / std::uint64_t(share);
                    const auto bands = deviceBands(job, variant, budget);
                    if (!bands && variant == KernelVariant::Fft)
                        continue; // its workspace alone is too much
                    QVERIFY2(bands, std::to_string(share).c_str());
                    QVERIFY(bands->rows > 0 && (bands->rows < 64 || bands->rows % 64 == 0));
                    int rows = 0;
                    for (int first = 0; first < 2000; first += bands->rows) {
                        const ConvolutionJob band = bandOf(job, *bands, first);
                        QVERIFY(deviceBytes(band, variant) * deviceBandsAtATime <= budget);
                        QCOMPARE(band.region.y, rows);
                        QCOMPARE(band.target.height, band.region.height);
                        rows += band.region.height;
                    }
                    QCOMPARE(rows, 2000);
                }
            }
        }
    }

    // Enough of them for copies each way and a computation, and none for little pictures, borders that wrap around, or
    // transforms, which take other rows together then.
    void bandsThatOverlap() {
        const auto bandsOf = [&](int width, int height, PixelFormat format, int side, BorderMode mode,
                                 KernelVariant variant = KernelVariant::Blocked,
                                 std::optional<std::uint64_t> budget = std::nullopt) {
            const ConvolutionKernel kernel = randomKernel(side, side, random_);
            // Nobody looks at the pixels.
            ConvolutionJob job;
            job.source = {nullptr, width, height, std::ptrdiff_t(width) * format.bytesPerPixel(), format};
            job.target = {nullptr, width, height, std::ptrdiff_t(width) * format.bytesPerPixel(), format};
            job.region = {0, 0, width, height};
            job.kernel = &kernel;
            job.border.mode = mode;
            return overlappingBands(job, variant, budget);
        };
        const PixelFormat rgb{Depth::U8, 3}, rgba{Depth::U8, 4};
        const auto bands = bandsOf(6000, 4000, rgb, 5, BorderMode::Reflect);
        QVERIFY(bands && bands->exact);
        QCOMPARE(bands->rows % 64, 0);
        QVERIFY(bands->rows * 3 <= 4000 && std::int64_t(bands->rows) * 18000 >= 8 << 20);
        QVERIFY(bandsOf(40000, 25000, rgba, 5, BorderMode::Zero)->rows >= 25000 / 8); // few large ones
        QVERIFY(!bandsOf(1920, 1080, rgba, 5, BorderMode::Zero));
        QVERIFY(!bandsOf(6000, 4000, rgb, 5, BorderMode::Wrap)); // two of them would send it all
        QVERIFY(!bandsOf(6000, 4000, rgb, 63, BorderMode::Zero, KernelVariant::Fft));
        const auto within = [&](std::uint64_t budget) {
            return bandsOf(6000, 4000, rgb, 127, BorderMode::Zero, KernelVariant::Blocked, budget).has_value();
        };
        QVERIFY(within(std::uint64_t{1} << 30) && !within(std::uint64_t{64} << 20));
        QVERIFY(bandsOf(60000, 500, rgb, 127, BorderMode::Zero) == std::nullopt); // halos as high as bands
    }

    // 8-bit RGB goes to the device as it is and becomes four channels there, before and after.
    void bytesOfADevice() {
        const Picture source(1000, 50, {Depth::U8, 3}, random_);
        Image target(1000, 50, {Depth::U8, 3});
        const ConvolutionKernel kernel = randomKernel(3, 3, random_);
        const ConvolutionJob job = jobOf(source.image, target, kernel, BorderMode::Zero);
        QCOMPARE(deviceBytes(job, KernelVariant::Naive), std::uint64_t(2 * 50 * (3072 + 4096)));
    }

    void whatCannotBeCut() {
        const Picture source(100, 1000, {Depth::U8, 1}, random_);
        Image target(100, 1000, {Depth::U8, 1});
        const ConvolutionKernel kernel = randomKernel(5, 5, random_);
        QVERIFY(!deviceBands(jobOf(source.image, target, kernel, BorderMode::Zero), KernelVariant::Naive, 1000));
        const ConvolutionJob wraps = jobOf(source.image, target, kernel, BorderMode::Wrap);
        QVERIFY(!deviceBands(wraps, KernelVariant::Naive, deviceBytes(wraps, KernelVariant::Naive)));
        QVERIFY(deviceBands(wraps, KernelVariant::Naive, 10 * deviceBytes(wraps, KernelVariant::Naive)));
    }

    void bandsAreTheWhole_data() {
        QTest::addColumn<int>("mode");
        for (const BorderMode mode : modes)
            QTest::newRow(std::string(borderName(mode)).c_str()) << int(mode);
    }
    void bandsAreTheWhole() {
        QFETCH(const int, mode);
        Engine &engine = *engineOf(DeviceKind::Cpu);
        for (const PixelFormat format : {PixelFormat{Depth::U8, 3}, {Depth::F32, 1}}) {
            const Picture source(211, 300, format, random_);
            const ConvolutionKernel kernel = randomKernel(5, 7, random_);
            Image whole(211, 300, format), bands(211, 300, format);
            ConvolutionJob job = jobOf(source.image, whole, kernel, BorderMode(mode));
            engine.convolve(job, {});
            job.target = bands.view();
            std::atomic<int> count = 0;
            std::vector<double> told;
            RunControl control;
            control.progress = [&](double done) { told.push_back(done); };
            const RunTimes times = runInBands(job, {64, true}, control, [&](const ConvolutionJob &band) {
                const int number = ++count; // two may run at once
                RunTimes one = engine.convolve(band, {});
                one.kernelMs = 1.5;
                one.copyMs.reset();
                one.roundsLocally = number != 2; // one that is not is none of all
                return one;
            });
            QCOMPARE(count.load(), 5);
            QVERIFY(sameRows(whole, bands));
            QCOMPARE(times.kernelMs, std::optional(7.5));
            QVERIFY(!times.copyMs);
            QVERIFY(!times.roundsLocally);
            QVERIFY(std::ranges::is_sorted(told) && told.size() == 5 && told.back() == 1.0);
        }
    }

    // The first failure is the job's, and no band begins after it but for those that other threads had taken.
    void failuresEndAll() {
        const Picture source(64, 6400, {Depth::U8, 1}, random_);
        Image target(64, 6400, {Depth::U8, 1});
        const ConvolutionKernel kernel = randomKernel(3, 3, random_);
        const ConvolutionJob job = jobOf(source.image, target, kernel, BorderMode::Zero);
        std::atomic<int> count = 0;
        const auto failing = [&](const ConvolutionJob &) -> RunTimes {
            if (++count == 4)
                throw Error(ErrorKind::Device, "gone");
            return {};
        };
        try {
            runInBands(job, {16, true}, {}, failing);
            QFAIL("nothing was thrown");
        } catch (const Error &error) {
            QCOMPARE(error.kind(), ErrorKind::Device);
        }
        std::stop_source stop;
        count = 0;
        try {
            runInBands(job, {16, true}, {stop.get_token(), {}}, [&](const ConvolutionJob &) {
                if (++count == 4)
                    stop.request_stop();
                return RunTimes();
            });
            QFAIL("it was not cancelled");
        } catch (const Error &error) {
            QCOMPARE(error.kind(), ErrorKind::Cancelled);
        }
        QVERIFY(count < 4 + deviceBandsAtATime);
    }

    // A second one begins when the first is through, unless it is told to end.
    void turnsAreTakenOneByOne() {
        BandTurns turns;
        std::atomic<bool> first = true, early = false;
        std::stop_source stop;
        std::jthread second, cancelled;
        {
            const auto turn = turns.take({});
            second = std::jthread([&] {
                const auto own = turns.take({});
                early = first.load();
            });
            std::atomic<bool> ended = false;
            cancelled = std::jthread([&] {
                try {
                    turns.take({stop.get_token(), {}});
                } catch (const Error &error) {
                    ended = error.kind() == ErrorKind::Cancelled;
                }
            });
            stop.request_stop();
            cancelled.join();
            QVERIFY(ended);
            first = false;
        }
        second.join();
        QVERIFY(!early);
    }

    void limitsAreRead_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qulonglong>("bytes"); // 0: refused
        QTest::newRow("bytes") << QByteArray("1000") << 1000ull;
        QTest::newRow("K") << QByteArray("3K") << 3072ull;
        QTest::newRow("m") << QByteArray("5m") << (5ull << 20);
        QTest::newRow("G") << QByteArray("2G") << (2ull << 30);
        for (const char *wrong : {"0", "-1", "2T", "G", "2GB", "1.5G", " 1", "99999999999G"})
            QTest::newRow(wrong) << QByteArray(wrong) << 0ull;
    }
    void limitsAreRead() {
        QFETCH(const QByteArray, text);
        QFETCH(const qulonglong, bytes);
        qputenv("TESSERA_GPU_MEMORY", text);
        std::uint64_t read = 0;
        std::string refusal;
        try {
            read = deviceMemoryLimit().value();
        } catch (const Error &error) {
            refusal = error.what();
        }
        QCOMPARE(read, std::uint64_t(bytes));
        QCOMPARE(refusal.find(text.toStdString()) != std::string::npos, bytes == 0);
        qunsetenv("TESSERA_GPU_MEMORY");
        QVERIFY(!deviceMemoryLimit());
    }
#endif

private:
    Random random_{20260711};
};

QTEST_APPLESS_MAIN(EngineDeviceBandsTest)
#include "engine_device_bands_test.moc"
