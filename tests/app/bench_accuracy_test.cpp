// Whether a wrong result is found out, wherever it is wrong.
#include "app/bench/convolution_contender.h"
#include "app/bench/host_pictures.h"
#include "app/bench/statistics_workload.h"
#include "app/engines/reference.h"

#include <QtTest>

#include <cmath>
#include <cstring>
#include <functional>

using namespace tessera;
using namespace tessera::bench;

namespace {

Workload workloadOf(const char *pixel, int width, int height, int side) {
    Workload workload;
    workload.width = width;
    workload.height = height;
    workload.pixel = *findBenchPixelKind(pixel);
    workload.kernel = randomKernel(side, side, 11);
    workload.seed = 5;
    return workload;
}

// The reference with a fault built in.
class Faulty : public ConvolutionContender {
public:
    using Fault = std::function<void(PixelBlock &)>;
    Faulty(std::shared_ptr<const ConvolutionTask> shared, Fault fault)
        : ConvolutionContender("faulty", "cpu", Scope::Call, std::move(shared)), fault_(std::move(fault)),
          target_(workload().pixel, workload().width, workload().height) {
        stated.absolute = 1e-4 * nominalMaximum(depthOf(workload().pixel.type));
        stated.relativeL2 = 1e-5;
    }

    int rotations() const override { return 1; }
    void finish() override {}
    void run(int) override {
        const PixelBlock before = target_;
        const Image source = imageOf(loaded_);
        Image target(workload().width, workload().height, source.format());
        ConvolutionJob job = jobOf(workload(), source.view(), target.view());
        convolveReference(job);
        copyRows(target.view(), target_);
        fault_(target_);
        if (skip)
            std::memcpy(target_.row(skip->second) + skip->first * workload().pixel.bytes(),
                        before.row(skip->second) + skip->first * workload().pixel.bytes(),
                        std::size_t(workload().pixel.bytes()));
    }

    std::optional<std::pair<int, int>> skip; // a pixel that is never written

protected:
    void load(const PixelBlock &picture) override { loaded_ = picture; }
    void poison(std::byte value) override { std::memset(target_.bytes.data(), int(value), target_.bytes.size()); }
    void fetch(PixelBlock &result) override { result = target_; }

private:
    Fault fault_;
    PixelBlock loaded_, target_;
};

void setFloat(PixelBlock &block, int x, int y, float value) {
    std::memcpy(block.row(y) + std::size_t(x) * sizeof value, &value, sizeof value);
}

} // namespace

class BenchAccuracyTest : public QObject {
    Q_OBJECT

private slots:
    void aCorrectResultPasses_data() {
        QTest::addColumn<QString>("pixel");
        for (const PixelKind &kind : benchPixelKinds())
            QTest::newRow(std::string(kind.name).c_str()) << QString::fromUtf8(kind.name.data(), int(kind.name.size()));
    }
    void aCorrectResultPasses() {
        QFETCH(QString, pixel);
        Faulty contender(makeTask(workloadOf(qPrintable(pixel), 61, 43, 5)), [](PixelBlock &) {});
        const CheckResult result = contender.check();
        QCOMPARE(result.failure, std::string());
        QCOMPARE(result.pixelsChecked, std::uint64_t(61 * 43));
        QVERIFY(result.wholeBorder);
        const bool integer = !pixel.contains('f');
        QVERIFY(integer ? result.maxError == 0 : result.maxError < 1e-3);
    }

    void aWrongPixelIsFound_data() {
        QTest::addColumn<int>("x");
        QTest::addColumn<int>("y");
        QTest::addColumn<bool>("border");
        QTest::newRow("corner") << 0 << 0 << true;
        QTest::newRow("last") << 60 << 42 << true;
        QTest::newRow("second row") << 30 << 1 << true;
        QTest::newRow("middle") << 30 << 20 << false;
    }
    void aWrongPixelIsFound() {
        QFETCH(int, x);
        QFETCH(int, y);
        QFETCH(bool, border);
        Faulty contender(makeTask(workloadOf("f32", 61, 43, 5)),
                         [=](PixelBlock &block) { setFloat(block, x, y, float(block.value(x, y, 0)) + 0.25f); });
        const CheckResult result = contender.check();
        QVERIFY(!result.failure.empty());
        QVERIFY(std::fabs(result.maxError - 0.25) < 1e-3);
        QVERIFY(border ? std::fabs(result.borderMaxError - 0.25) < 1e-3 : result.borderMaxError < 1e-3);
    }

    void notANumberIsAnError() {
        Faulty contender(makeTask(workloadOf("f32", 20, 20, 3)),
                         [](PixelBlock &block) { setFloat(block, 3, 3, std::nanf("")); });
        const CheckResult result = contender.check();
        QVERIFY(!result.failure.empty());
        QVERIFY(std::isinf(result.maxError));
    }

    void anUnwrittenPixelIsFoundInEveryType_data() { aCorrectResultPasses_data(); }
    void anUnwrittenPixelIsFoundInEveryType() {
        QFETCH(QString, pixel);
        Faulty contender(makeTask(workloadOf(qPrintable(pixel), 61, 43, 5)), [](PixelBlock &) {});
        contender.skip = {17, 29};
        const CheckResult result = contender.check();
        QVERIFY2(QByteArray(result.failure.c_str()).contains("(17, 29) unwritten"), result.failure.c_str());
    }

    void aKernelTurnedAroundIsFound() {
        Workload workload = workloadOf("f32", 61, 43, 5);
        const auto task = makeTask(workload);
        workload.kernel = workload.kernel.rotated180();
        const Image source = imageOf(task->source);
        Image target(61, 43, source.format());
        convolveReference(jobOf(workload, source.view(), target.view()));
        PixelBlock turned(workload.pixel, 61, 43);
        copyRows(target.view(), turned);
        QVERIFY(!task->exact->compare(turned, {1e-4, 1e-5}).failure.empty());
    }

    void smallErrorsEverywhereBreakTheRelativeBound() {
        Faulty contender(makeTask(workloadOf("f32", 61, 43, 5)), [](PixelBlock &block) {
            for (int y = 0; y < block.height; ++y)
                for (int x = 0; x < block.width; ++x)
                    setFloat(block, x, y, float(block.value(x, y, 0)) * 1.00005f);
        });
        const CheckResult result = contender.check();
        QVERIFY2(QByteArray(result.failure.c_str()).contains("relative L2"), result.failure.c_str());
    }

    void levelsMayDifferOnTiesOnly() {
        const auto off = [](PixelBlock &block) { block.row(10)[10] ^= std::byte(2); };
        Faulty contender(makeTask(workloadOf("u8", 61, 43, 5)), off);
        const CheckResult result = contender.check();
        QVERIFY(!result.failure.empty());
        QCOMPARE(result.maxError, 2.0);
    }

    void largePicturesAreSampledWithTheirWholeBorder() {
        const Workload workload = workloadOf("f32", 700, 500, 7);
        const PixelBlock source = randomPicture(workload.pixel, 700, 500, 5);
        const ExactSamples samples(workload, source, {}, 49.0 * 30000);
        QVERIFY(samples.wholeBorder());
        QVERIFY(samples.pixels() < 40000);
        QVERIFY(samples.pixels() > 2 * 3 * (700 + 494)); // the band and something of the inside
        const ExactSamples few(workload, source, {}, 49.0 * 3000);
        QVERIFY(!few.wholeBorder());
    }

    void randomDataDependOnTheSeedAlone() {
        const PixelKind &pixel = *findBenchPixelKind("rgba8");
        QVERIFY(randomPicture(pixel, 50, 40, 3).bytes == randomPicture(pixel, 50, 40, 3).bytes);
        QVERIFY(randomPicture(pixel, 50, 40, 3).bytes != randomPicture(pixel, 50, 40, 4).bytes);
    }

    void randomKernelsHaveNoSymmetryAndSumToOne() {
        for (const int side : {2, 3, 15, 31}) {
            const ConvolutionKernel kernel = randomKernel(side, side, 9);
            QVERIFY(std::fabs(kernel.sum() - 1) < 1e-5);
            QVERIFY(kernel.taps != kernel.rotated180().taps);
            double gain = 0;
            for (const double tap : kernel.taps)
                gain += std::fabs(tap);
            QVERIFY(gain < 4);
        }
    }

    void enoughSetsForColdRuns() {
        constexpr std::size_t mib = std::size_t(1) << 20;
        QCOMPARE(coldSets(8 * mib, 32 * mib, 1024 * mib), 17);    // 16 others of 8 MiB: 128 MiB
        QCOMPARE(coldSets(512 * mib, 60 * mib, 8192 * mib), 2);   // one other is enough
        QCOMPARE(coldSets(100 * mib, 1000 * mib, 1200 * mib), 3); // as memory allows
    }

    void countsOfEveryDistributionAreExact() {
        for (const std::string &name : distributionNames())
            for (const char *pixel : {"u8", "rgb8", "rgba8", "u16"}) {
                const auto task = makeStatisticsTask(name, *findBenchPixelKind(pixel), 91, 37, 3);
                for (const ChannelCounts &channel : task->exact) {
                    std::uint64_t count = 0;
                    for (const std::uint64_t level : channel.histogram)
                        count += level;
                    QCOMPARE(count, std::uint64_t(91 * 37));
                }
                QCOMPARE(compareCounts(*task, task->exact, StatisticsKind::Both).failure, std::string());
                auto wrong = task->exact;
                --wrong.back().histogram[wrong.back().maximum];
                QVERIFY(!compareCounts(*task, wrong, StatisticsKind::Histogram).failure.empty());
                QVERIFY(compareCounts(*task, wrong, StatisticsKind::Statistics).failure.empty());
            }
        const auto levels = [](const char *name) {
            const auto counts = exactCounts(distributedPicture(name, *findBenchPixelKind("u8"), 256, 64, 1));
            return std::ranges::count_if(counts.front().histogram, [](std::uint64_t n) { return n > 0; });
        };
        QCOMPARE(levels("constant"), 1);
        QCOMPARE(levels("two-values"), 2);
        QCOMPARE(levels("ramp"), 256);
        QVERIFY(levels("photograph") > 60);
    }
};

QTEST_GUILESS_MAIN(BenchAccuracyTest)
#include "bench_accuracy_test.moc"
