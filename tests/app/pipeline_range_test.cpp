// Responses that depend on more than a value: what alpha has to do with them, and what a range is measured by.
#include "app/session/tap_sum.h"
#include "tests/app/pipeline_test_support.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace tessera;
using namespace tessera::test;

namespace {

using Values = std::vector<double>;
constexpr PixelFormat rgba8{Depth::U8, 4}, greyAlpha8{Depth::U8, 2}, grey8{Depth::U8, 1};

FilterStep responding(FilterStep step, ResponseMode response, AlphaMode alpha = AlphaMode::Automatic) {
    step.response = response;
    step.alpha = alpha;
    return step;
}

FilterStep identity() { return customStep(1, 1, {1}); }
FilterStep mean(int width) { return customStep(width, 1, Values(std::size_t(width), 1), width); }

Values channelOf(const Image &image, int channel) {
    Values values;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            values.push_back(valueAt(image, x, y, channel));
    return values;
}

// One level left and one right, `step` above it; alpha, where there is any, of all kinds.
Image faint(PixelFormat format, int size, double base, double step) {
    std::mt19937_64 random(3);
    Image image = randomPicture(size, size, format, random);
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            for (int c = 0; c < format.colourChannels(); ++c)
                setValue(image, x, y, c, base + (x < size / 2 ? 0 : step));
    return image;
}

std::vector<EngineChoice> everyEngine() {
    std::vector<EngineChoice> choices{chooseEngine("cpu", "cpu")};
    for (const auto &engine : availableEngines())
        if (engine->name() == "opencv")
            choices.push_back(chooseEngine("opencv", "cpu"));
    for (const char *variant : {"naive", "tiled", "tiled-float4", "tiled-half2"})
        choices.push_back(chooseEngine(variant, "sim"));
    return choices;
}

} // namespace

class PipelineRangeTest : public QObject {
    Q_OBJECT
private slots:
    void whatMovesKeepsItsAlpha_data();
    void whatMovesKeepsItsAlpha();
    void opaquePicturesStayOpaque();
    void aConstantBorderIsOpaque();
    void transparentPixelsDoNotCount();
    void transparentPixelsAloneCount();
    void alphaIsNotInTheRange();
    void alphaAloneHasARange();
    void faintStructureIsStretched_data();
    void faintStructureIsStretched();
    void faintStructureKeepsItsSteps_data();
    void faintStructureKeepsItsSteps();
    void flatIsFlatInEveryEngine_data();
    void flatIsFlatInEveryEngine();
    void whatCancelsIsFlat();
};

void PipelineRangeTest::whatMovesKeepsItsAlpha_data() {
    QTest::addColumn<bool>("linear");
    QTest::addColumn<bool>("luma");
    QTest::newRow("plain") << false << false;
    QTest::newRow("linear") << true << false;
    QTest::newRow("luma") << false << true;
}

void PipelineRangeTest::whatMovesKeepsItsAlpha() {
    QFETCH(bool, linear);
    QFETCH(bool, luma);
    const Image source = picture(3, 1, rgba8, {20, 20, 20, 0, 50, 50, 50, 90, 80, 80, 80, 255});
    FilterStep step = identity(), shift = customStep(3, 1, {0, 0, 1});
    for (FilterStep *one : {&step, &shift}) {
        one->linear = linear;
        if (luma)
            one->channels.kind = ChannelSelection::Kind::Luma;
    }
    for (const ResponseMode response :
         {ResponseMode::Clamp, ResponseMode::Absolute, ResponseMode::Signed, ResponseMode::Range}) {
        QCOMPARE(channelOf(run(source, {responding(step, response)}), 3), (Values{0, 90, 255}));
        QCOMPARE(channelOf(run(source, {responding(shift, response)}), 3), (Values{90, 255, 255}));
    }
    QCOMPARE(channelOf(run(source, {responding(step, ResponseMode::Signed)}), 1), (Values{148, 178, 208}));
    QCOMPARE(channelOf(run(source, {responding(step, ResponseMode::Range)}), 1), (Values{0, 0, 255}));
}

// As if they had no alpha, whatever the number of taps.
void PipelineRangeTest::opaquePicturesStayOpaque() {
    const Image source = picture(3, 1, greyAlpha8, {20, 255, 50, 255, 80, 255});
    for (FilterStep step : {customStep(3, 1, {0, 0, 1}), customStep(3, 1, {0, 0.5, 0.5})}) {
        step.border.mode = BorderMode::Zero;
        QCOMPARE(channelOf(run(source, {step}), 1), (Values{255, 255, 255}));
        step.response = ResponseMode::Range;
        QCOMPARE(channelOf(run(source, {step}), 1), (Values{255, 255, 255}));
    }
}

void PipelineRangeTest::aConstantBorderIsOpaque() {
    const Image source = picture(3, 1, greyAlpha8, {20, 255, 50, 90, 80, 0});
    FilterStep step = customStep(3, 1, {0, 0, 1});
    step.border = {BorderMode::Constant, 40};
    QCOMPARE(valuesOf(run(source, {step})), (Values{50, 90, 80, 0, 40, 255}));
    QCOMPARE(explainPixel(source.view(), step, 2, 0, 0).value, 40.0);
    QCOMPARE(explainPixel(source.view(), step, 2, 0, 1).value, 255.0);
    step.linear = true;
    QCOMPARE(valuesOf(run(source, {step})), (Values{50, 90, 80, 0, 40, 255}));
    step.linear = false;
    step.border = {BorderMode::Zero, 0};
    QCOMPARE(valuesOf(run(source, {step})), (Values{50, 90, 80, 0, 0, 0}));
}

void PipelineRangeTest::transparentPixelsDoNotCount() {
    // The second half shows 100 to 120; the first hides 0 and 255.
    const Image source = picture(6, 1, greyAlpha8, {0, 0, 255, 0, 0, 0, 100, 255, 104, 40, 120, 255});
    const auto stretched = [&](const FilterStep &step, AlphaMode alpha) {
        const Values all = channelOf(run(source, {responding(step, ResponseMode::Range, alpha)}), 0);
        return Values(all.begin() + 3, all.end());
    };
    const Values whole{0, 51, 255};
    QCOMPARE(stretched(identity(), AlphaMode::Automatic), whole);
    QCOMPARE(stretched(identity(), AlphaMode::Premultiplied), whole);
    QCOMPARE(stretched(identity(), AlphaMode::Preserve), whole);
    QCOMPARE(stretched(identity(), AlphaMode::Independent), (Values{100, 104, 120}));
    FilterStep linear = identity();
    linear.linear = true;
    const Values inLight = stretched(linear, AlphaMode::Premultiplied);
    QCOMPARE(inLight.front(), 0.0);
    QCOMPARE(inLight.back(), 255.0);
    // The mean of three: all of the second half counts, and what its neighbours show through.
    const Values means = channelOf(run(source, {responding(mean(3), ResponseMode::Range)}), 0);
    QCOMPARE(*std::max_element(means.begin() + 2, means.end()), 255.0);
    QCOMPARE(*std::min_element(means.begin() + 2, means.end()), 0.0);

    Image colours(6, 1, rgba8);
    for (int x = 0; x < 6; ++x)
        for (int c = 0; c < 4; ++c)
            setValue(colours, x, 0, c, valueAt(source, x, 0, c == 3 ? 1 : 0));
    FilterStep luma = responding(identity(), ResponseMode::Range);
    luma.channels.kind = ChannelSelection::Kind::Luma;
    for (const AlphaMode alpha : {AlphaMode::Automatic, AlphaMode::Premultiplied, AlphaMode::Preserve}) {
        luma.alpha = alpha;
        QCOMPARE(valueAt(run(colours, {luma}), 3, 0, 1), 0.0);
        QCOMPARE(valueAt(run(colours, {luma}), 5, 0, 1), 255.0);
    }
}

void PipelineRangeTest::transparentPixelsAloneCount() {
    const Image source = picture(3, 1, greyAlpha8, {100, 0, 104, 0, 120, 0});
    QCOMPARE(channelOf(run(source, {responding(identity(), ResponseMode::Range, AlphaMode::Preserve)}), 0),
             (Values{0, 51, 255}));
}

void PipelineRangeTest::alphaIsNotInTheRange() {
    const Image source = picture(3, 1, rgba8, {100, 110, 120, 0, 105, 110, 114, 80, 150, 140, 130, 255});
    FilterStep step = responding(identity(), ResponseMode::Range, AlphaMode::Independent);
    const Values wanted{0, 51, 102, 0, 26, 51, 71, 80, 255, 204, 153, 255}; // 100..150
    QCOMPARE(valuesOf(run(source, {step})), wanted);
    step.channels.kind = ChannelSelection::Kind::Rgba;
    QCOMPARE(valuesOf(run(source, {step})), wanted);
    // Alpha is filtered all the same.
    FilterStep means = responding(mean(3), ResponseMode::Range, AlphaMode::Independent);
    QCOMPARE(channelOf(run(source, {means}), 3), (Values{27, 112, 197}));
    means.linear = true;
    QCOMPARE(channelOf(run(source, {means}), 3), (Values{27, 112, 197}));
    means.linear = false;
    means.channels.kind = ChannelSelection::Kind::Luma;
    QCOMPARE(channelOf(run(source, {means}), 3), (Values{27, 112, 197}));
}

void PipelineRangeTest::alphaAloneHasARange() {
    const Image source = picture(3, 1, greyAlpha8, {7, 100, 8, 104, 9, 120});
    FilterStep step = responding(identity(), ResponseMode::Range);
    step.channels = {ChannelSelection::Kind::Mask, 8u};
    QCOMPARE(valuesOf(run(source, {step})), (Values{7, 0, 8, 51, 9, 255}));
}

void PipelineRangeTest::faintStructureIsStretched_data() {
    QTest::addColumn<int>("channels");
    QTest::addColumn<QString>("kind");
    for (const int channels : {1, 2, 3, 4})
        QTest::addRow("%d channels", channels) << channels << QString();
    QTest::newRow("linear") << 3 << "linear";
    QTest::newRow("luma") << 3 << "luma";
    QTest::newRow("luma and alpha") << 4 << "luma";
    QTest::newRow("offset") << 1 << "offset";
    QTest::newRow("independent") << 4 << "independent";
}

// One level of 65535 under a kernel of 201 x 201, where float32 sums may be off by as much. Before values were taken
// around their centre, this counted as flat.
void PipelineRangeTest::faintStructureIsStretched() {
    QFETCH(int, channels);
    QFETCH(QString, kind);
    const Image source = faint({Depth::U16, channels}, 300, 40000, 1);
    FilterStep step = responding(customStep(201, 201, Values(201 * 201, 1), 201 * 201), ResponseMode::Range);
    step.linear = kind == "linear";
    if (kind == "luma")
        step.channels.kind = ChannelSelection::Kind::Luma;
    if (kind == "offset")
        step.offset = -30000;
    if (kind == "independent")
        step.alpha = AlphaMode::Independent;
    const Image result = run(source, {step});
    QVERIFY2(valueAt(result, 5, 150, 0) < 3000, qPrintable(QString::number(valueAt(result, 5, 150, 0))));
    QVERIFY2(valueAt(result, 294, 150, 0) > 62000, qPrintable(QString::number(valueAt(result, 294, 150, 0))));
    double last = 0;
    for (int x = 20; x < 280; x += 20) { // from dark to bright, without rounding's waves
        QVERIFY(valueAt(result, x, 150, 0) >= last);
        last = valueAt(result, x, 150, 0);
    }
}

void PipelineRangeTest::faintStructureKeepsItsSteps_data() {
    QTest::addColumn<int>("channels");
    for (const int channels : {1, 2, 3, 4})
        QTest::addRow("%d channels", channels) << channels;
}

// Float32 has 256 values between 40000 and 40001; the mean of 201 columns has 202.
void PipelineRangeTest::faintStructureKeepsItsSteps() {
    QFETCH(int, channels);
    Image source = faint({Depth::U16, channels}, 300, 40000, 1);
    if (PixelFormat{Depth::U16, channels}.hasAlpha())
        for (int y = 0; y < 300; ++y)
            for (int x = 0; x < 300; ++x)
                setValue(source, x, y, channels - 1, 20000);
    const FilterStep step = responding(customStep(201, 201, Values(201 * 201, 1), 201 * 201), ResponseMode::Range);
    const Image result = run(source, {step});
    for (int x = 0; x < 300; ++x) {
        const double exact = 65535.0 / 201 * std::clamp(x + 100 - 149, 0, 201);
        QVERIFY2(std::fabs(valueAt(result, x, 150, 0) - exact) < 2,
                 qPrintable(QString("%1: %2, not %3").arg(x).arg(valueAt(result, x, 150, 0)).arg(exact)));
    }
}

void PipelineRangeTest::flatIsFlatInEveryEngine_data() {
    QTest::addColumn<QString>("filter");
    for (const char *filter : {"gaussian:sigma=4", "box", "disk", "sobel", "kirsch", "log", "unsharp", "identity"})
        QTest::newRow(filter) << filter;
}

void PipelineRangeTest::flatIsFlatInEveryEngine() {
    QFETCH(QString, filter);
    for (const EngineChoice &choice : everyEngine())
        for (const Depth depth : {Depth::U8, Depth::U16, Depth::F32})
            for (const int channels : {1, 2, 4})
                for (const BorderMode border : {BorderMode::Replicate, BorderMode::Constant}) {
                    const double value = depth == Depth::F32 ? 0.3 : depth == Depth::U8 ? 97 : 40001;
                    const Image source = faint({depth, channels}, 40, value, 0);
                    FilterStep step = responding(namedStep(filter.toStdString()), ResponseMode::Range);
                    step.border = {border, valueAt(source, 0, 0, 0)};
                    const OutputDepth kept = depth == Depth::F32 ? OutputDepth::U16 : OutputDepth::Keep;
                    Image result;
                    try {
                        result = runPipeline(source, std::span(&step, 1), choice, kept);
                    } catch (const Error &refusal) { // 16 bits are no halves
                        QVERIFY2(choice.variant == "tiled-half2" && depth == Depth::U16, refusal.what());
                        continue;
                    }
                    // What no light comes through has no colour.
                    Values seen;
                    for (int y = 0; y < 40; ++y)
                        for (int x = 0; x < 40; ++x)
                            if (channels == 1 || valueAt(result, x, y, channels - 1) > 0)
                                seen.push_back(valueAt(result, x, y, 0));
                    const auto [low, high] = std::ranges::minmax(seen);
                    QVERIFY2(high - low <= 1, qPrintable(QString("%1, depth %2, %3 channels, border %4: %5 to %6")
                                                             .arg(QString::fromStdString(choice.variant))
                                                             .arg(int(depth))
                                                             .arg(channels)
                                                             .arg(int(border))
                                                             .arg(low)
                                                             .arg(high)));
                }
}

// Structure that a kernel takes away wholly leaves rounding alone.
void PipelineRangeTest::whatCancelsIsFlat() {
    Image source(64, 64, {Depth::U16, 1});
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x)
            setValue(source, x, y, 0, (x + y) % 2 ? 65535 : 3);
    FilterStep step = responding(customStep(30, 30, Values(900, 0.1), 90), ResponseMode::Range);
    step.border.mode = BorderMode::Wrap;
    for (const EngineChoice &choice : everyEngine()) {
        if (choice.variant == "tiled-half2") // of less precision than this
            continue;
        const Values values = valuesOf(runPipeline(source, std::span(&step, 1), choice, OutputDepth::Keep));
        const auto [low, high] = std::ranges::minmax(values);
        QVERIFY2(high - low <= 1, choice.variant.c_str());
    }
}

QTEST_APPLESS_MAIN(PipelineRangeTest)
#include "pipeline_range_test.moc"
