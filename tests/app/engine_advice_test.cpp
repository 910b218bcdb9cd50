// The planner behind `auto` on a GPU: what it takes, what it refuses to take, and how it says so.
#include "app/engines/speed_store.h"
#include "app/engines/variant_advice.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace tessera;

namespace {

// An H200's.
DeviceLimits largeDevice() { return {227 * 1024, 1024, 132, 65535, 90}; }

ConvolutionKernel denseKernel(int side) {
    std::vector<double> taps;
    for (int i = 0; i < side * side; ++i)
        taps.push_back((1 + (i * 7919) % 101) / 5100.0); // of full rank
    return ConvolutionKernel::centred(side, side, taps);
}

ConvolutionKernel gaussianKernel(int side) {
    std::vector<double> taps;
    const double sigma = side / 6.0;
    for (int v = 0; v < side; ++v)
        for (int u = 0; u < side; ++u)
            taps.push_back(std::exp(-0.5 * (std::pow(u - side / 2, 2) + std::pow(v - side / 2, 2)) / sigma / sigma));
    return ConvolutionKernel::centred(side, side, taps);
}

// No pixels: the planner looks at none.
ConvolutionJob jobOf(const ConvolutionKernel &kernel, Depth depth, int channels = 1, int side = 8192) {
    ConvolutionJob job;
    job.source.width = job.target.width = job.region.width = side;
    job.source.height = job.target.height = job.region.height = side;
    job.source.format = job.target.format = {depth, channels};
    job.kernel = &kernel;
    job.finish.divisor = float(kernel.effectiveDivisor());
    return job;
}

QString variantFor(const ConvolutionJob &job, const SpeedTable &speeds = builtInSpeeds()) {
    const VariantAdvice advice = adviseVariant(job, largeDevice(), speeds);
    const std::string_view name = kernelVariantName(advice.choice.variant);
    return QString::fromUtf8(name.data(), qsizetype(name.size()));
}

} // namespace

class EngineAdviceTest : public QObject {
    Q_OBJECT

private slots:
    void takesTheFastest_data();
    void takesTheFastest();
    void launchesCountInSmallPictures();
    void everyAdviceCanRun();
    void followsTheTable();
    void prefersPlainSumsOnTies();
    void keepsInfinitiesFromWhatSpreadsThem();
    void neverTakesHalves();
    void levelsAdmitCoarserTaps();
    void explainsItself();
    void remembers();
    void keepsSpeedsPerDevice();
    void survivesDamagedFiles_data();
    void survivesDamagedFiles();
};

void EngineAdviceTest::takesTheFastest_data() {
    QTest::addColumn<int>("side");
    QTest::addColumn<bool>("separable");
    QTest::addColumn<Depth>("depth");
    QTest::addColumn<QString>("expected");
    // By the times of tests/bench/gpu-notes.md.
    QTest::newRow("float 3") << 3 << false << Depth::F32 << "blocked";
    QTest::newRow("float 7") << 7 << false << Depth::F32 << "blocked";
    QTest::newRow("float 15") << 15 << false << Depth::F32 << "tensor";
    QTest::newRow("float 31") << 31 << false << Depth::F32 << "fft";
    QTest::newRow("float 63") << 63 << false << Depth::F32 << "fft";
    QTest::newRow("float gaussian 3") << 3 << true << Depth::F32 << "blocked";
    QTest::newRow("float gaussian 15") << 15 << true << Depth::F32 << "separable";
    QTest::newRow("float gaussian 31") << 31 << true << Depth::F32 << "separable";
    QTest::newRow("bytes 3") << 3 << false << Depth::U8 << "blocked";
    QTest::newRow("bytes 7") << 7 << false << Depth::U8 << "blocked";
    QTest::newRow("bytes 15") << 15 << false << Depth::U8 << "tensor";
    QTest::newRow("bytes 63") << 63 << false << Depth::U8 << "fft";
    QTest::newRow("bytes gaussian 31") << 31 << true << Depth::U8 << "separable";
}

void EngineAdviceTest::takesTheFastest() {
    QFETCH(int, side);
    QFETCH(bool, separable);
    QFETCH(Depth, depth);
    QFETCH(QString, expected);
    const ConvolutionKernel kernel = separable ? gaussianKernel(side) : denseKernel(side);
    QCOMPARE(variantFor(jobOf(kernel, depth)), expected);
}

void EngineAdviceTest::launchesCountInSmallPictures() {
    const ConvolutionKernel kernel = denseKernel(7);
    QCOMPARE(variantFor(jobOf(kernel, Depth::U8, 4, 8192)), QString("tensor"));
    QCOMPARE(variantFor(jobOf(kernel, Depth::U8, 4, 256)), QString("blocked"));
    const ConvolutionKernel large = denseKernel(31);
    QCOMPARE(variantFor(jobOf(large, Depth::F32, 1, 8192)), QString("fft"));
    QVERIFY(variantFor(jobOf(large, Depth::F32, 1, 256)) != QString("fft")); // one launch, not three
}

void EngineAdviceTest::everyAdviceCanRun() {
    for (const DeviceLimits &limits : {DeviceLimits{}, largeDevice()})
        for (const Depth depth : {Depth::U8, Depth::U16, Depth::F32})
            for (const int channels : {1, 3, 4})
                for (const int side : {1, 2, 3, 8, 15, 31, 63, 127})
                    for (const bool separable : {false, true}) {
                        const ConvolutionKernel kernel = separable ? gaussianKernel(side) : denseKernel(side);
                        const ConvolutionJob job = jobOf(kernel, depth, channels, 640);
                        const VariantAdvice advice = adviseVariant(job, limits, builtInSpeeds());
                        if (advice.milliseconds == 0) { // nothing can; then another engine takes over
                            for (const KernelVariant variant : {KernelVariant::Naive, KernelVariant::TiledFloat4,
                                                                KernelVariant::Fft, KernelVariant::Separable})
                                QVERIFY(!kernelRefusal(job, {variant}, limits).empty());
                            QVERIFY(side > 63 && limits.sharedBytesPerBlock < 100000);
                            continue;
                        }
                        QVERIFY2(kernelRefusal(job, advice.choice, limits).empty(), advice.reason.c_str());
                    }
}

void EngineAdviceTest::followsTheTable() {
    const ConvolutionKernel kernel = denseKernel(3);
    SpeedTable speeds = builtInSpeeds();
    speeds.merge(std::vector<SpeedPoint>{{{KernelVariant::Naive, ScalarType::F32, 1, 0}, 9, 1e-6}});
    QCOMPARE(variantFor(jobOf(kernel, Depth::F32), speeds), QString("naive"));
    const SpeedTable only{"a device", {{{KernelVariant::Tiled, ScalarType::F32, 1, 0}, 9, 0.01}}};
    QCOMPARE(variantFor(jobOf(kernel, Depth::U8, 3), only), QString("tiled"));
    QVERIFY(adviseVariant(jobOf(kernel, Depth::U8), largeDevice(), {}).reason.find("measured") != std::string::npos);
}

void EngineAdviceTest::prefersPlainSumsOnTies() {
    const ConvolutionKernel kernel = gaussianKernel(9);
    const auto tableOf = [](double separable) {
        return SpeedTable{"a device",
                          {{{KernelVariant::Blocked, ScalarType::F32, 1, 0}, 81, 0.01},
                           {{KernelVariant::Separable, ScalarType::F32, 1, 1}, 9, separable}}};
    };
    QCOMPARE(variantFor(jobOf(kernel, Depth::F32), tableOf(0.0098)), QString("blocked"));
    QCOMPARE(variantFor(jobOf(kernel, Depth::F32), tableOf(0.0096)), QString("separable"));
}

void EngineAdviceTest::keepsInfinitiesFromWhatSpreadsThem() {
    const ConvolutionKernel kernel = denseKernel(63);
    const ConvolutionJob floats = jobOf(kernel, Depth::F32), bytes = jobOf(kernel, Depth::U8);
    const VariantAdvice advice = adviseVariant(floats, largeDevice(), builtInSpeeds(), /*finite=*/false);
    QVERIFY(advice.choice.variant != KernelVariant::Fft);
    QVERIFY(advice.reason.find("NaN") != std::string::npos);
    QCOMPARE(adviseVariant(bytes, largeDevice(), builtInSpeeds(), false).choice.variant, KernelVariant::Fft);

    const ConvolutionKernel smooth = gaussianKernel(15);
    const ConvolutionJob inPasses = jobOf(smooth, Depth::F32);
    const auto chosen = [&](bool finite) {
        return adviseVariant(inPasses, largeDevice(), builtInSpeeds(), finite).choice.variant;
    };
    QCOMPARE(chosen(true), KernelVariant::Separable);
    QVERIFY(chosen(false) != KernelVariant::Separable && chosen(false) != KernelVariant::Fft);
}

void EngineAdviceTest::neverTakesHalves() {
    SpeedTable speeds = builtInSpeeds();
    for (const KernelVariant half : {KernelVariant::NaiveHalf2, KernelVariant::TiledHalf2})
        speeds.merge(std::vector<SpeedPoint>{{{half, ScalarType::F32, 1, 0}, 9, 1e-9}});
    const ConvolutionKernel kernel = denseKernel(3);
    QCOMPARE(variantFor(jobOf(kernel, Depth::F32), speeds), QString("blocked"));
}

void EngineAdviceTest::levelsAdmitCoarserTaps() {
    const ConvolutionKernel kernel = denseKernel(15);
    ConvolutionJob job = jobOf(kernel, Depth::U8);
    QCOMPARE(adviseVariant(job, largeDevice(), builtInSpeeds()).choice.terms, 0);
    job.precision = Precision::Level;
    const VariantAdvice coarse = adviseVariant(job, largeDevice(), builtInSpeeds());
    QVERIFY(kernelErrorBound(job, coarse.choice, 255) <= 0.5);
    VariantChoice oneTerm = coarse.choice;
    oneTerm.terms = 1;
    QCOMPARE(coarse.choice.terms, kernelErrorBound(job, oneTerm, 255) <= 0.5 ? 1 : 0);
    // Whole numbers of few bits lose nothing in one term.
    std::vector<double> whole(25, 1.0);
    whole[3] = 5;
    const ConvolutionKernel small = ConvolutionKernel::centred(5, 5, whole);
    ConvolutionJob exact = jobOf(small, Depth::U8);
    exact.precision = Precision::Level;
    VariantChoice choice = oneTerm;
    QVERIFY(preciseEnough(exact, choice, 255));
}

void EngineAdviceTest::explainsItself() {
    const ConvolutionKernel kernel = gaussianKernel(15);
    const std::string reason = adviseVariant(jobOf(kernel, Depth::F32), largeDevice(), builtInSpeeds()).reason;
    QCOMPARE(QString::fromStdString(reason),
             QString("separable: 0.15 ms expected, tensor 0.51 (as measured on NVIDIA H200)"));
}

void EngineAdviceTest::remembers() {
    const ConvolutionKernel dense = denseKernel(63), gaussian = gaussianKernel(63);
    AdviceCache cache;
    const auto advice = [&](const ConvolutionJob &job, bool finite = true) {
        return cache.adviceFor(job, largeDevice(), builtInSpeeds(), finite).choice.variant;
    };
    for (int round = 0; round < 2; ++round) {
        QCOMPARE(advice(jobOf(dense, Depth::F32)), KernelVariant::Fft);
        QVERIFY(advice(jobOf(dense, Depth::F32), false) != KernelVariant::Fft);
        QCOMPARE(advice(jobOf(gaussian, Depth::F32)), KernelVariant::Separable);
    }
    // The answer comes from memory, not from a table that says otherwise by now.
    const SpeedTable other{"a device", {{{KernelVariant::Naive, ScalarType::F32, 1, 0}, 9, 1e-6}}};
    QCOMPARE(cache.adviceFor(jobOf(dense, Depth::F32), largeDevice(), other).choice.variant, KernelVariant::Fft);
    for (int side = 3; side < 20; ++side) { // until it is forgotten
        const ConvolutionKernel kernel = denseKernel(side);
        advice(jobOf(kernel, Depth::F32));
    }
    QVERIFY(cache.adviceFor(jobOf(gaussian, Depth::F32), largeDevice(), other).choice.variant !=
            KernelVariant::Separable);
}

void EngineAdviceTest::keepsSpeedsPerDevice() {
    QTemporaryDir folder;
    const SpeedStore store(folder.path().toStdString() + "/speeds");
    const SpeedKey tiled{KernelVariant::Tiled, ScalarType::F32, 1, 0};
    QCOMPARE(store.load("NVIDIA X").points, builtInSpeeds().points);
    const double there = *builtInSpeeds().predict(tiled, 9);
    QVERIFY(store.add("NVIDIA X", std::vector<SpeedPoint>{{tiled, 9, 10 * there}}));
    const SpeedTable table = store.load("NVIDIA X");
    QCOMPARE(table.device, std::string("NVIDIA X"));
    QVERIFY(std::abs(*table.predict(tiled, 9) / (10 * there) - 1) < 1e-12);
    // What was not measured keeps its ratio to what was.
    const SpeedKey blocked{KernelVariant::Blocked, ScalarType::F32, 1, 0};
    QVERIFY(std::abs(*table.predict(blocked, 25) / (10 * *builtInSpeeds().predict(blocked, 25)) - 1) < 1e-9);
    QCOMPARE(store.load("NVIDIA Y").points, builtInSpeeds().points);
    QVERIFY(store.add("NVIDIA X", std::vector<SpeedPoint>{{blocked, 25, 0.5}, {tiled, 9, 0.25}}));
    QCOMPARE(*store.load("NVIDIA X").predict(blocked, 25), 0.5);
    QCOMPARE(*store.load("NVIDIA X").predict(tiled, 9), 0.25);
    QVERIFY(!SpeedStore("").add("NVIDIA X", std::vector<SpeedPoint>{{tiled, 9, 1.0}}));
    QVERIFY(!store.add("NVIDIA X", {}));
}

void EngineAdviceTest::survivesDamagedFiles_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("speeds");
    QTest::newRow("cut off") << QByteArray(R"({"form": 1, "device": "NVIDIA X", "points": [{"var)");
    QTest::newRow("another form") << QByteArray(R"({"form": 2, "device": "NVIDIA X", "points": []})");
    QTest::newRow("another device") << QByteArray(
        R"({"form": 1, "device": "other", "points": [{"variant": "naive", "pixel": "f32", "channels": 1, "terms": 0, "work": 9, "ms_per_megapixel": 1}]})");
    QTest::newRow("impossible values") << QByteArray(
        R"({"form": 1, "device": "NVIDIA X", "points": [{"variant": "naive", "pixel": "f32", "channels": 1, "terms": 0, "work": 9, "ms_per_megapixel": -1}, {"variant": "none", "pixel": "f32", "channels": 1, "terms": 0, "work": 9, "ms_per_megapixel": 1}]})");
    QTest::newRow("wrong types") << QByteArray(R"({"form": 1, "device": "NVIDIA X", "points": [{"variant": 3}]})");
}

void EngineAdviceTest::survivesDamagedFiles() {
    QFETCH(QByteArray, content);
    QTemporaryDir folder;
    const SpeedStore store(folder.path().toStdString());
    QFile file(QString::fromStdString(store.fileOf("NVIDIA X").string()));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    file.close();
    QCOMPARE(store.load("NVIDIA X").points, builtInSpeeds().points);
    const SpeedKey tiled{KernelVariant::Tiled, ScalarType::F32, 1, 0};
    QVERIFY(store.add("NVIDIA X", std::vector<SpeedPoint>{{tiled, 9, 0.5}})); // and it is mended
    QCOMPARE(*store.load("NVIDIA X").predict(tiled, 9), 0.5);
}

QTEST_GUILESS_MAIN(EngineAdviceTest)
#include "engine_advice_test.moc"
