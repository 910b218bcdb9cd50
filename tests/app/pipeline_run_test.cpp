// How the pipeline runs: chains, regions, cancellation, progress, and what happens when an engine can't.
#include "tests/app/pipeline_test_support.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr PixelFormat grey8{Depth::U8, 1};

// An engine that says no: at once, or when it has been started.
class FailingEngine final : public Engine {
public:
    FailingEngine(std::string refusal, ErrorKind kind) : refusal_(std::move(refusal)), kind_(kind) {}

    std::string_view name() const override { return "failing"; }
    DeviceKind deviceKind() const override { return DeviceKind::Cuda; }
    std::string deviceId() const override { return "cuda:9"; }
    std::string deviceName() const override { return "failing device"; }
    std::vector<VariantInfo> variants() const override { return {{"failing", "Failing", "fails"}}; }
    bool isLost() const override { return lost; }
    std::string refusal(const ConvolutionJob &) const override { return lost ? "it was lost earlier" : refusal_; }
    RunTimes convolve(const ConvolutionJob &, const RunControl &) override {
        ++started;
        throw Error(kind_, "the device was lost");
    }

    int started = 0;
    bool lost = false;

private:
    std::string refusal_;
    ErrorKind kind_;
};

FilterStep randomStep(std::mt19937_64 &random) {
    std::uniform_int_distribution<int> any(0, 1 << 20);
    std::uniform_real_distribution<double> tap(0.0, 1.0);
    const int width = 1 + any(random) % 6, height = 1 + any(random) % 6;
    std::vector<double> taps(std::size_t(width * height));
    const bool negative = any(random) % 3 == 0;
    double sum = 0;
    for (double &value : taps)
        sum += value = tap(random) - (negative ? 0.25 : 0.0);
    FilterStep step = customStep(width, height, std::move(taps), sum);
    if (any(random) % 5 == 0)
        step = namedStep("sobel");
    step.border = {BorderMode(any(random) % 6), 90.0};
    step.channels.kind = ChannelSelection::Kind(any(random) % 3);
    step.alpha = step.channels.kind == ChannelSelection::Kind::Rgba ? AlphaMode::Automatic : AlphaMode(any(random) % 4);
    step.response = ResponseMode(any(random) % 3);
    step.linear = any(random) % 4 == 0;
    step.flip = any(random) % 2 == 0;
    step.offset = any(random) % 3;
    return step;
}

} // namespace

class PipelineRunTest : public QObject {
    Q_OBJECT

private slots:
    void chainEqualsStepByStep();
    void chainLimitsBetweenSteps();
    void chainRoundsOnlyAtTheEnd();
    void flatPicturesAreNotStretched();
    void regionEqualsWhole_data();
    void regionEqualsWhole();
    void regionEqualsWholeThroughTiles_data();
    void regionEqualsWholeThroughTiles();
    void regionOutsideIsRefused();
    void cancelsBeforeAndInside();
    void progressRises();
    void reportsTimes();
    void anotherEngineTakesOver();
    void namedVariantIsNotReplaced();
    void processorFinishesForALostDevice();
    void processorTakesOverFromADeviceLostEarlier();
    void otherFailuresArePassedOn();
};

void PipelineRunTest::chainEqualsStepByStep() {
    std::mt19937_64 random(11);
    const Image source = randomPicture(40, 30, {Depth::U8, 3}, random);
    const FilterStep blur = namedStep("gaussian:sigma=1"), sharpen = namedStep("sharpen:amount=1");
    const Image chain = run(source, {sharpen, blur});
    const Image single = run(run(source, {sharpen}), {blur});
    // The rounding in between is at most half a level a pixel, and a blur averages it.
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x)
            for (int c = 0; c < 3; ++c)
                QVERIFY(std::fabs(valueAt(chain, x, y, c) - valueAt(single, x, y, c)) <= 1.0);
}

void PipelineRunTest::chainLimitsBetweenSteps() {
    const Image source = picture(1, 1, grey8, {200});
    const FilterStep twice = customStep(1, 1, {3}, 1), half = customStep(1, 1, {1}, 3);
    QCOMPARE(valueAt(run(source, {twice, half}), 0, 0, 0), 85.0); // 255 / 3
    FilterStep absolute = customStep(1, 1, {-1}, 1);
    absolute.response = ResponseMode::Absolute;
    QCOMPARE(valueAt(run(source, {absolute, half}), 0, 0, 0), 67.0);
    absolute.response = ResponseMode::Signed;
    absolute.divisor = 2;
    QCOMPARE(valueAt(run(source, {absolute, twice}), 0, 0, 0), 84.0); // 3 * (128 - 100)
}

void PipelineRunTest::chainRoundsOnlyAtTheEnd() {
    const Image source = picture(1, 1, grey8, {1});
    const FilterStep fifth = customStep(1, 1, {1}, 5), five = customStep(1, 1, {5}, 1);
    QCOMPARE(valueAt(run(source, {fifth, five}), 0, 0, 0), 1.0);
}

// What rounding leaves of a picture of one colour is nothing to stretch, with soft alpha too.
void PipelineRunTest::flatPicturesAreNotStretched() {
    std::mt19937 random{7};
    Image soft(80, 60, {Depth::U8, 4}), plain(80, 60, grey8);
    for (int y = 0; y < 60; ++y)
        for (int x = 0; x < 80; ++x) {
            plain.view().row<std::uint8_t>(y)[x] = 97;
            for (int c = 0; c < 4; ++c)
                soft.view().row<std::uint8_t>(y)[4 * x + c] = c < 3 ? 97 : std::uint8_t(1 + random() % 255);
        }
    const auto stretched = [&](const Image &source, const char *filter, const EngineChoice &choice) {
        std::vector<FilterStep> steps{namedStep(filter)};
        steps.front().response = ResponseMode::Range;
        return runPipeline(source, steps, choice, OutputDepth::Keep);
    };
    for (const std::shared_ptr<Engine> &engine : availableEngines()) {
        if (engine->deviceKind() != DeviceKind::Cpu)
            continue;
        const EngineChoice choice = chooseEngine(engine->name(), "cpu");
        const Image colour = stretched(soft, "gaussian", choice), edges = stretched(plain, "log", choice);
        for (int y = 0; y < 60; ++y)
            for (int x = 0; x < 80; ++x) {
                QCOMPARE(int(std::as_const(colour).view().row<std::uint8_t>(y)[4 * x]), 97);
                QCOMPARE(int(std::as_const(edges).view().row<std::uint8_t>(y)[x]), 0);
            }
    }
}

void PipelineRunTest::regionEqualsWhole_data() {
    QTest::addColumn<int>("seed");
    for (int seed = 0; seed < 120; ++seed)
        QTest::addRow("%d", seed) << seed;
}

void PipelineRunTest::regionEqualsWhole() {
    QFETCH(int, seed);
    std::mt19937_64 random(std::uint64_t(1000 + seed));
    std::uniform_int_distribution<int> any(0, 1 << 20);
    const PixelFormat format{Depth(seed % 3), 1 + seed / 3 % 4};
    const int width = 5 + any(random) % 60, height = 5 + any(random) % 40;
    const Image source = randomPicture(width, height, format, random);
    std::vector<FilterStep> steps;
    for (int i = 0; i < 1 + seed % 3; ++i)
        steps.push_back(randomStep(random));
    const OutputDepth depth = OutputDepth(any(random) % 4);
    const EngineChoice choice = chooseEngine("auto", "cpu");
    const Image whole = runPipeline(source, steps, choice, depth);
    for (int i = 0; i < 6; ++i) {
        Rectangle region;
        region.x = any(random) % width;
        region.y = any(random) % height;
        region.width = 1 + any(random) % (width - region.x);
        region.height = 1 + any(random) % (height - region.y);
        const Image part = runPipelineRegion(source, region, steps, choice, depth);
        Image expected(region.width, region.height, whole.format());
        for (int y = 0; y < region.height; ++y)
            std::memcpy(expected.view().row<std::byte>(y), whole.view().part(region).row<std::byte>(y),
                        std::size_t(region.width * whole.format().bytesPerPixel()));
        QVERIFY(identical(part, expected));
    }
}

// Large dense kernels are computed in tiles of the picture, which reach farther than the kernel does: what stands there
// between two steps must be what stands there in the whole.
void PipelineRunTest::regionEqualsWholeThroughTiles_data() {
    QTest::addColumn<QString>("border");
    QTest::addColumn<int>("channels");
    for (const char *border : {"replicate", "reflect", "wrap", "zero"})
        for (const int channels : {1, 4})
            QTest::addRow("%s, %d", border, channels) << border << channels;
}

void PipelineRunTest::regionEqualsWholeThroughTiles() {
    QFETCH(QString, border);
    QFETCH(int, channels);
    std::mt19937_64 random(5);
    const Image source = randomPicture(400, 300, {Depth::U16, channels}, random);
    std::vector<FilterStep> steps{namedStep("gaussian:sigma=1"), namedStep("disk:radius=12"), namedStep("sharpen")};
    for (FilterStep &step : steps)
        step.border.mode = borderFromName(border.toStdString()).value();
    steps.front().linear = true;
    const EngineChoice choice = chooseEngine("auto", "cpu");
    PipelineTimes times;
    const Image whole = runPipeline(source, steps, choice, OutputDepth::F32, {}, &times);
    QVERIFY2(times.plan.find("Fourier") != std::string::npos, times.plan.c_str()); // else this tests nothing
    for (const Rectangle &region : {Rectangle{0, 0, 9, 7}, Rectangle{390, 290, 10, 10}, Rectangle{150, 100, 61, 43},
                                    Rectangle{0, 200, 400, 11}, Rectangle{399, 0, 1, 300}}) {
        { // what is left in memory that is used again must not show
            Image poison(400, 300, {Depth::F32, channels});
            for (int y = 0; y < 300; ++y)
                std::fill_n(poison.view().row<float>(y), 400 * channels, 1e30f);
        }
        const Image part = runPipelineRegion(source, region, steps, choice, OutputDepth::F32);
        Image expected(region.width, region.height, whole.format());
        for (int y = 0; y < region.height; ++y)
            std::memcpy(expected.view().row<std::byte>(y), whole.view().part(region).row<std::byte>(y),
                        std::size_t(region.width * whole.format().bytesPerPixel()));
        QVERIFY(identical(part, expected));
    }
}

void PipelineRunTest::regionOutsideIsRefused() {
    const Image source = picture(2, 1, grey8, {1, 2});
    const EngineChoice choice = chooseEngine("auto", "cpu");
    for (const Rectangle &region : {Rectangle{0, 0, 3, 1}, Rectangle{-1, 0, 1, 1}, Rectangle{0, 0, 0, 1}})
        QVERIFY_EXCEPTION_THROWN(runPipelineRegion(source, region, {}, choice, OutputDepth::Keep), Error);
}

void PipelineRunTest::cancelsBeforeAndInside() {
    std::mt19937_64 random(12);
    const Image source = randomPicture(600, 500, {Depth::U8, 4}, random);
    const std::vector<FilterStep> steps(4, namedStep("box:width=5,height=5"));
    for (const double when : {-1.0, 0.1, 0.6}) {
        std::stop_source stop;
        if (when < 0)
            stop.request_stop();
        double reached = 0;
        RunControl control{stop.get_token(), [&](double fraction) {
                               reached = fraction;
                               if (fraction >= when)
                                   stop.request_stop();
                           }};
        ErrorKind kind = ErrorKind::Internal;
        try {
            runPipeline(source, steps, chooseEngine("auto", "cpu"), OutputDepth::Keep, control);
        } catch (const Error &error) {
            kind = error.kind();
        }
        QCOMPARE(kind, ErrorKind::Cancelled);
        QVERIFY2(reached < std::max(when, 0.0) + 0.3, qPrintable(QString::number(reached)));
    }
}

void PipelineRunTest::progressRises() {
    std::mt19937_64 random(13);
    const Image source = randomPicture(300, 200, {Depth::U8, 4}, random);
    std::vector<double> seen;
    const RunControl control{{}, [&](double fraction) { seen.push_back(fraction); }};
    runPipeline(source, std::vector{namedStep("box"), namedStep("sobel")}, chooseEngine("auto", "cpu"),
                OutputDepth::Keep, control);
    QVERIFY(seen.size() > 5);
    QVERIFY(std::is_sorted(seen.begin(), seen.end()));
    QCOMPARE(seen.back(), 1.0);
}

void PipelineRunTest::reportsTimes() {
    const Image source = picture(2, 1, grey8, {1, 2});
    PipelineTimes times;
    run(source, {namedStep("box")}, OutputDepth::Keep, &times);
    QVERIFY(times.totalMs > 0);
    QVERIFY(times.kernelMs.has_value());
    QVERIFY(!times.copyMs.has_value());
    QCOMPARE(times.engine, std::string("cpu"));
    QCOMPARE(times.device, std::string("cpu"));
    QCOMPARE(times.variant, std::string("cpu"));
}

void PipelineRunTest::anotherEngineTakesOver() {
    const auto failing = std::make_shared<FailingEngine>("kernels end at 1x1", ErrorKind::Internal);
    const Image source = picture(3, 1, grey8, {10, 20, 60});
    PipelineTimes times;
    const Image result = runPipeline(source, std::vector{customStep(3, 1, {1, 1, 1}, 3)},
                                     {failing, "failing", "", true}, OutputDepth::Keep, {}, &times);
    QCOMPARE(valueAt(result, 1, 0, 0), 30.0);
    QCOMPARE(failing->started, 0);
    QVERIFY2(times.note.find("kernels end at 1x1") != std::string::npos, times.note.c_str());
}

void PipelineRunTest::namedVariantIsNotReplaced() {
    const auto failing = std::make_shared<FailingEngine>("kernels end at 1x1", ErrorKind::Internal);
    const Image source = picture(1, 1, grey8, {10});
    try {
        runPipeline(source, std::vector{customStep(3, 1, {1, 1, 1}, 3)}, {failing, "failing", "", false},
                    OutputDepth::Keep);
    } catch (const Error &error) {
        QCOMPARE(error.kind(), ErrorKind::Usage);
        QVERIFY(std::string(error.what()).find("kernels end at 1x1") != std::string::npos);
        return;
    }
    QFAIL("nothing was thrown");
}

void PipelineRunTest::processorFinishesForALostDevice() {
    const auto failing = std::make_shared<FailingEngine>("", ErrorKind::Device);
    const Image source = picture(3, 1, grey8, {10, 20, 60});
    const FilterStep mean = customStep(3, 1, {1, 1, 1}, 3);
    PipelineTimes times;
    const Image result =
        runPipeline(source, std::vector{mean, mean}, {failing, "failing", "", true}, OutputDepth::Keep, {}, &times);
    QVERIFY(identical(result, run(source, {mean, mean})));
    QCOMPARE(failing->started, 1); // a lost device is not asked again
    QVERIFY2(times.note.find("the device was lost") != std::string::npos, times.note.c_str());
    QCOMPARE(times.device, std::string("cpu"));
}

void PipelineRunTest::processorTakesOverFromADeviceLostEarlier() {
    const Image source = picture(3, 1, grey8, {10, 20, 60});
    const FilterStep mean = customStep(3, 1, {1, 1, 1}, 3);
    for (const bool automatic : {true, false}) { // a variant that was named makes no difference
        const auto lost = std::make_shared<FailingEngine>("", ErrorKind::Device);
        lost->lost = true;
        PipelineTimes times;
        const Image result =
            runPipeline(source, std::vector{mean}, {lost, "failing", "", automatic}, OutputDepth::Keep, {}, &times);
        QVERIFY(identical(result, run(source, {mean})));
        QCOMPARE(lost->started, 0);
        QCOMPARE(times.device, std::string("cpu"));
        QVERIFY2(times.note.find("lost earlier") != std::string::npos, times.note.c_str());
    }
}

void PipelineRunTest::otherFailuresArePassedOn() {
    const auto failing = std::make_shared<FailingEngine>("", ErrorKind::Limit);
    const Image source = picture(1, 1, grey8, {10});
    try {
        runPipeline(source, std::vector{customStep(1, 1, {1}, 1)}, {failing, "failing", "", true}, OutputDepth::Keep);
    } catch (const Error &error) {
        QCOMPARE(error.kind(), ErrorKind::Limit);
        return;
    }
    QFAIL("nothing was thrown");
}

QTEST_GUILESS_MAIN(PipelineRunTest)
#include "pipeline_run_test.moc"
