// The product's own kernels in the simulator: right, free of faults, and independent of the threads' order.
#include "gpu/kernels/histogram.h"
#include "gpu/kernels/layout.h"
#include "gpu/kernels/reduce.h"
#include "gpu/launch/fused_statistics.h"
#include "gpu/sim/sim_launcher.h"

#include <QtTest>

#include <random>

using namespace tessera;
using namespace tessera::sim;

namespace {

constexpr ThreadOrder orders[] = {ThreadOrder::Forward, ThreadOrder::Backward, ThreadOrder::Shuffled};

struct Convolved {
    std::vector<float> output;
    SimulationReport report;
};

Convolved convolve(KernelVariant variant, std::vector<float> picture, int width, int height, const Taps &taps,
                   BorderMode border, ThreadOrder order, int originX = 0, int originY = 0, int outWidth = 0,
                   int outHeight = 0) {
    outWidth = outWidth ? outWidth : width;
    outHeight = outHeight ? outHeight : height;
    Convolved result;
    result.output.assign(std::size_t(outWidth) * std::size_t(outHeight), std::nanf("")); // poison
    ConvolutionRequest request;
    request.source = {picture.data(), width, height, std::ptrdiff_t(4) * width, ScalarType::F32, 1};
    request.target = {result.output.data(), outWidth, outHeight, std::ptrdiff_t(4) * outWidth, ScalarType::F32, 1};
    request.originX = originX;
    request.originY = originY;
    request.border = {border, 0.0};
    request.taps = &taps;
    const LaunchPlan plan = planConvolution(variant, shapeOf(request), {}).plan;
    RecordingLauncher launcher(order);
    launchVariant(launcher, plan, request);
    result.report = launcher.report();
    return result;
}

Taps tapsOf(int width, int height, std::vector<float> values) {
    Taps taps;
    taps.width = width;
    taps.height = height;
    taps.anchorX = width / 2;
    taps.anchorY = height / 2;
    std::copy(values.begin(), values.end(), taps.value);
    return taps;
}

std::vector<float> oneToSixteen() {
    std::vector<float> picture(16);
    for (int i = 0; i < 16; ++i)
        picture[std::size_t(i)] = float(i + 1);
    return picture;
}

} // namespace

class KernelsSimTest : public QObject {
    Q_OBJECT

private slots:
    void workedExample_data() {
        QTest::addColumn<bool>("tiled");
        QTest::newRow("naive") << false;
        QTest::newRow("tiled") << true;
    }
    // values, and how often global memory is read.
    void workedExample() {
        QFETCH(bool, tiled);
        const KernelVariant variant = tiled ? KernelVariant::Tiled : KernelVariant::Naive;
        const Taps taps = tapsOf(3, 3, {1, 0, 1, 0, 1, 0, 1, 0, 1});
        for (const ThreadOrder order : orders) {
            const Convolved same = convolve(variant, oneToSixteen(), 4, 4, taps, BorderMode::Zero, order);
            QCOMPARE(same.output[3], 11.0f);
            QCOMPARE(same.output[5], 30.0f);
            QCOMPARE(same.report.faultCount, 0u);
            QCOMPARE(same.report.total(AccessKind::GlobalLoad, &SiteCounts::accesses), tiled ? 16u : 100u);

            const Convolved inner = convolve(variant, oneToSixteen(), 4, 4, taps, BorderMode::Zero, order, 1, 1, 2, 2);
            QCOMPARE(inner.output, (std::vector<float>{30, 35, 50, 55}));
            QCOMPARE(inner.report.faultCount, 0u);
        }
    }

    // Without padding the naive kernel reads 36 values of 16 distinct ones; a tile reads each once.
    void readsWithoutPadding() {
        const Taps taps = tapsOf(3, 3, {1, 0, 1, 0, 1, 0, 1, 0, 1});
        const auto naive = convolve(KernelVariant::Naive, oneToSixteen(), 4, 4, taps, BorderMode::Zero,
                                    ThreadOrder::Forward, 1, 1, 2, 2);
        QCOMPARE(naive.report.total(AccessKind::GlobalLoad, &SiteCounts::accesses), 36u);
        const auto tiled = convolve(KernelVariant::Tiled, oneToSixteen(), 4, 4, taps, BorderMode::Zero,
                                    ThreadOrder::Forward, 1, 1, 2, 2);
        QCOMPARE(tiled.report.total(AccessKind::GlobalLoad, &SiteCounts::accesses), 16u);
    }

    void noFaultsOverManyShapes() {
        std::mt19937 random(20);
        std::uniform_real_distribution<float> uniform(-1, 1);
        for (const KernelVariant variant : kernelVariants)
            for (const auto &[width, height] : {std::pair{1, 1}, {1, 40}, {41, 1}, {33, 17}, {70, 19}})
                for (const auto &[tapsWidth, tapsHeight] : {std::pair{1, 1}, {1, 7}, {4, 4}, {13, 9}})
                    for (const BorderName &border : borderNames) {
                        std::vector<float> picture(std::size_t(width) * std::size_t(height));
                        for (float &value : picture)
                            value = uniform(random);
                        std::vector<float> values(std::size_t(tapsWidth) * std::size_t(tapsHeight));
                        for (float &value : values)
                            value = uniform(random);
                        const Taps taps = tapsOf(tapsWidth, tapsHeight, values);
                        const Convolved first =
                            convolve(variant, picture, width, height, taps, border.mode, ThreadOrder::Forward);
                        QCOMPARE(first.report.faultCount, 0u);
                        for (const float value : first.output)
                            QVERIFY(!std::isnan(value)); // every output was written
                        for (const ThreadOrder order : {ThreadOrder::Backward, ThreadOrder::Shuffled})
                            QVERIFY(convolve(variant, picture, width, height, taps, border.mode, order).output ==
                                    first.output);
                    }
    }

    void reductionAndHistogramWithoutFaults() {
        using P = Pixel<std::uint8_t, 4>;
        std::mt19937 random(21);
        for (const ThreadOrder order : orders) {
            std::vector<P> picture(77 * 13);
            for (P &pixel : picture)
                for (auto &value : pixel.channel)
                    value = std::uint8_t(random());
            const ImageView<const P> view{picture.data(), 77, 13, 77 * 4};
            LaunchPlan plan;
            plan.grid = {3, 1};
            plan.block = {64, 1};

            std::vector<ChannelTotals<std::uint8_t>> partial(4 * 3);
            plan.sharedBytes = ReduceStatistics<P>::sharedBytes();
            RecordingLauncher reduce(order);
            reduce.launch(plan,
                          ReduceStatistics<P>{view, {partial.data(), 4, 3, std::ptrdiff_t(sizeof(partial[0])) * 4}});
            QCOMPARE(reduce.report().faultCount, 0u);
            for (int c = 0; c < 4; ++c) {
                unsigned long long sum = 0, expected = 0;
                unsigned smallest = 255, least = 255;
                for (int block = 0; block < 3; ++block) {
                    sum += partial[std::size_t(block * 4 + c)].sum;
                    smallest = std::min<unsigned>(smallest, partial[std::size_t(block * 4 + c)].minimum);
                }
                for (const P &pixel : picture) {
                    expected += pixel.channel[c];
                    least = std::min<unsigned>(least, pixel.channel[c]);
                }
                QCOMPARE(sum, expected);
                QCOMPARE(smallest, least);
            }

            std::vector<unsigned long long> counts(256 * 5, 0);
            plan.sharedBytes = Histogram<P>::sharedBytes(64);
            RecordingLauncher count(order);
            count.launch(plan, Histogram<P>{view, {counts.data(), 256, 5, 256 * 8}});
            QCOMPARE(count.report().faultCount, 0u);
            for (int row = 0; row < 5; ++row)
                QCOMPARE(std::accumulate(counts.begin() + row * 256, counts.begin() + (row + 1) * 256, 0ull),
                         static_cast<unsigned long long>(picture.size()));
        }
    }

    // The fused statistics are those of the stored output, and the output is the same to the bit.
    void statisticsOfTheOutputInOneLaunch() {
        std::mt19937 random(23);
        std::vector<std::uint8_t> picture(75 * 61 * 4), plain(picture.size()), fused(picture.size());
        for (std::uint8_t &value : picture)
            value = std::uint8_t(random());
        const Taps taps = tapsOf(5, 3, {1, 2, -1, 0, 3, 1, 1, 4, 0, -2, 1, 0, 2, 1, 1});
        for (const KernelVariant variant : kernelVariants)
            for (const int channels : {1, 4}) {
                ConvolutionRequest request;
                const int width = 75 * 4 / channels;
                request.source = {picture.data(), width, 61, 300, ScalarType::U8, channels};
                request.target = {plain.data(), width, 61, 300, ScalarType::U8, channels};
                request.border = {BorderMode::Reflect, 0};
                request.finish.divisor = 14;
                request.taps = &taps;
                RecordingLauncher first;
                launchVariant(first, planConvolution(variant, shapeOf(request), {}).plan, request);

                request.target.data = fused.data();
                DeviceLimits limits;
                limits.multiprocessors = 1; // fewer blocks than tiles: each takes several
                const FusedPlan plan = planWithStatistics(variant, shapeOf(request),
                                                          statisticsSharedBytes(ScalarType::U8, channels), limits);
                QVERIFY(plan.refusal.empty() && plan.plan.grid.x < plan.tiles.area());
                const int rows = channels == 4 ? 5 : 1;
                std::vector<unsigned long long> counts(std::size_t(rows) * 256, 0), expected(counts);
                std::vector<ChannelTotals<std::uint8_t>> partial(std::size_t(plan.plan.grid.x * channels));
                RecordingLauncher second(ThreadOrder::Shuffled);
                launchVariantWithStatistics(second, plan, request, {partial.data(), counts.data(), 200.0f});
                for (const Fault &fault : second.report().faults)
                    QFAIL((fault.file + ":" + std::to_string(fault.line) + " " + fault.what).c_str());
                QVERIFY(plain == fused);

                for (int c = 0; c < channels; ++c) {
                    auto total = ChannelTotals<std::uint8_t>::identity(), wanted = total;
                    for (int block = 0; block < plan.plan.grid.x; ++block)
                        total.merge(partial[std::size_t(block * channels + c)]);
                    for (std::size_t i = std::size_t(c); i < plain.size(); i += std::size_t(channels)) {
                        wanted.add(plain[i]);
                        wanted.above += plain[i] > 200;
                        ++expected[std::size_t(c) * 256 + plain[i]];
                    }
                    QVERIFY(std::tuple(total.sum, total.sumOfSquares, total.minimum, total.maximum, total.finite,
                                       total.clippedLow, total.clippedHigh, total.above) ==
                            std::tuple(wanted.sum, wanted.sumOfSquares, wanted.minimum, wanted.maximum, wanted.finite,
                                       wanted.clippedLow, wanted.clippedHigh, wanted.above));
                }
                for (std::size_t i = 0; channels == 4 && i < plain.size(); i += 4)
                    ++expected[4 * 256 +
                               luminanceLevel(Pixel<std::uint8_t, 4>{plain[i], plain[i + 1], plain[i + 2], 0})];
                QVERIFY(counts == expected);
            }
    }

    // Float outputs that are no numbers, infinite or clipped, in the middle of groups and at the picture's rim.
    void statisticsOfFloatOutputs() {
        std::mt19937 random(24);
        std::vector<float> picture(75 * 61), plain(picture.size()), fused(picture.size());
        for (float &value : picture)
            value = float(int(random() % 2001) - 400) / 1000.0f;
        picture[3] = picture[75 * 30 + 40] = std::numeric_limits<float>::quiet_NaN();
        picture[75 * 50 + 20] = std::numeric_limits<float>::infinity();
        picture[75 * 60 + 74] = -std::numeric_limits<float>::infinity();
        const Taps taps = tapsOf(2, 1, {0.75f, 0.25f});
        for (const KernelVariant variant : kernelVariants)
            for (const float threshold : {0.5f, std::numeric_limits<float>::infinity()}) {
                ConvolutionRequest request;
                request.source = {picture.data(), 75, 61, 300, ScalarType::F32, 1};
                request.target = {plain.data(), 75, 61, 300, ScalarType::F32, 1};
                request.taps = &taps;
                RecordingLauncher first;
                launchVariant(first, planConvolution(variant, shapeOf(request), {}).plan, request);
                request.target.data = fused.data();
                DeviceLimits limits;
                limits.multiprocessors = 1;
                const FusedPlan plan =
                    planWithStatistics(variant, shapeOf(request), statisticsSharedBytes(ScalarType::F32, 1), limits);
                std::vector<ChannelTotals<float>> partial(std::size_t(plan.plan.grid.x));
                RecordingLauncher second(ThreadOrder::Shuffled);
                launchVariantWithStatistics(second, plan, request, {partial.data(), nullptr, threshold});
                for (const Fault &fault : second.report().faults)
                    QFAIL((fault.file + ":" + std::to_string(fault.line) + " " + fault.what).c_str());
                QVERIFY(std::memcmp(plain.data(), fused.data(), plain.size() * sizeof(float)) == 0);

                auto total = ChannelTotals<float>::identity(), wanted = total;
                for (const auto &block : partial)
                    total.merge(block);
                for (const float value : plain) {
                    wanted.add(value);
                    wanted.above += value > threshold;
                }
                QVERIFY(wanted.nan > 0 && wanted.infinite > 0 && wanted.clippedLow > 0 && wanted.clippedHigh > 0);
                QVERIFY(std::tuple(total.minimum, total.maximum, total.finite, total.nan, total.infinite,
                                   total.clippedLow, total.clippedHigh, total.above) ==
                        std::tuple(wanted.minimum, wanted.maximum, wanted.finite, wanted.nan, wanted.infinite,
                                   wanted.clippedLow, wanted.clippedHigh, wanted.above));
                QVERIFY(std::abs(total.sum - wanted.sum) < 1e-10);
                QVERIFY(std::abs(total.sumOfSquares - wanted.sumOfSquares) < 1e-10);
            }
    }

    void repackRoundTrip() {
        std::vector<Pixel<std::uint16_t, 3>> picture(35 * 9), back(35 * 9);
        std::vector<Pixel<std::uint16_t, 4>> packed(35 * 9);
        std::mt19937 random(22);
        for (auto &pixel : picture)
            for (auto &value : pixel.channel)
                value = std::uint16_t(random());
        LaunchPlan plan;
        plan.grid = {2, 2};
        plan.block = {32, 8};
        RecordingLauncher launcher;
        launcher.launch(plan, Repack<Pixel<std::uint16_t, 3>, Pixel<std::uint16_t, 4>>{
                                  {picture.data(), 35, 9, 35 * 6}, {packed.data(), 35, 9, 35 * 8}, {}});
        launcher.launch(plan, Repack<Pixel<std::uint16_t, 4>, Pixel<std::uint16_t, 3>>{
                                  {packed.data(), 35, 9, 35 * 8}, {back.data(), 35, 9, 35 * 6}, {}});
        QVERIFY(std::memcmp(picture.data(), back.data(), picture.size() * sizeof(picture[0])) == 0);
        QCOMPARE(packed[17].channel[3], std::uint16_t(0));
    }
};

QTEST_APPLESS_MAIN(KernelsSimTest)
#include "kernels_sim_test.moc"
