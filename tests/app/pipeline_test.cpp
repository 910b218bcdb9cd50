// What stands around the convolutions, on cases worked out by hand: channels, alpha, linear light, responses, depth.
#include "tests/app/pipeline_test_support.h"

#include <QTest>

#include <cmath>

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr PixelFormat grey8{Depth::U8, 1}, greyAlpha8{Depth::U8, 2}, rgb8{Depth::U8, 3}, rgba8{Depth::U8, 4};
using Values = std::vector<double>;

ErrorKind kindThrown(const std::vector<FilterStep> &steps) {
    try {
        checkSteps(steps);
    } catch (const Error &error) {
        return error.kind();
    }
    return ErrorKind::Internal; // nothing was thrown
}

} // namespace

class PipelineTest : public QObject {
    Q_OBJECT

private slots:
    void filtersColoursAsStored();
    void flipsWithTheAnchor();
    void divisorOffsetAndNormalize();
    void premultipliedByHand();
    void premultipliedKeepsAlphaWhereOnlyColoursAreNamed();
    void premultipliedZeroAlphaGivesZero();
    void whatOnlyMovesKeepsTransparentColours();
    void premultipliedOpaqueIsPlain_data();
    void premultipliedOpaqueIsPlain();
    void premultipliedConstantAlphaIsPlainColour();
    void premultipliedBorders();
    void automaticAlphaPreservesForNegativeTaps();
    void independentAlpha();
    void masks();
    void linearLight();
    void linearLightLeavesFloatAlone();
    void lumaByHand();
    void lumaIdentityIsExact();
    void responses();
    void rangeStretches();
    void floatOutputIsNotLimited();
    void magnitudeAndMaximum();
    void depths();
    void convertsDepth();
    void nothingEnabledIsACopy();
    void refusesContradictions();
};

void PipelineTest::filtersColoursAsStored() {
    const Image source = picture(3, 1, rgb8, {10, 20, 30, 40, 50, 60, 70, 80, 90});
    // Correlation: the pixel to the left counts once, the one to the right twice.
    const Image result = run(source, {customStep(3, 1, {1, 0, 2}, 3)});
    QCOMPARE(valuesOf(result), (Values{30, 40, 50, 50, 60, 70, 60, 70, 80}));
}

void PipelineTest::flipsWithTheAnchor() {
    const Image source = picture(5, 1, grey8, {0, 0, 100, 0, 0});
    FilterStep step = customStep(3, 1, {1, 2, 3}, 1);
    step.border.mode = BorderMode::Zero;
    QCOMPARE(valuesOf(run(source, {step})), (Values{0, 255, 200, 100, 0}));
    step.flip = true;
    QCOMPARE(valuesOf(run(source, {step})), (Values{0, 100, 200, 255, 0}));
    step.anchor = {0, 0}; // of the kernel as given: flipped it is the last tap
    QCOMPARE(valuesOf(run(source, {step})), (Values{0, 0, 100, 200, 255}));
    step.flip = false;
    QCOMPARE(valuesOf(run(source, {step})), (Values{255, 200, 100, 0, 0}));
}

void PipelineTest::divisorOffsetAndNormalize() {
    const Image source = picture(1, 1, grey8, {40});
    FilterStep step = customStep(1, 1, {4}, 1);
    QCOMPARE(valuesOf(run(source, {step})), (Values{160}));
    step.divisor = 8;
    step.offset = 7.5; // 20 + 7.5: a tie, to even
    QCOMPARE(valuesOf(run(source, {step})), (Values{28}));
    step.divisor.reset();
    step.normalize = true;
    step.offset = -1;
    QCOMPARE(valuesOf(run(source, {step})), (Values{39}));
}

// Weights 1, 0 and 1/5: red (200 + 0 + 0) / 1.2 = 166.7, blue (0 + 0 + 10) / 1.2 = 8.3; alpha the mean of 255, 0, 51.
void PipelineTest::premultipliedByHand() {
    const Image source = picture(3, 1, rgba8, {200, 0, 0, 255, 0, 100, 0, 0, 0, 0, 50, 51});
    const Image result = run(source, {customStep(3, 1, {1, 1, 1}, 3)});
    QCOMPARE(valueAt(result, 1, 0, 0), 167.0);
    QCOMPARE(valueAt(result, 1, 0, 1), 0.0);
    QCOMPARE(valueAt(result, 1, 0, 2), 8.0);
    QCOMPARE(valueAt(result, 1, 0, 3), 102.0);
    const Image grey = picture(3, 1, greyAlpha8, {200, 255, 90, 0, 50, 51});
    QCOMPARE(valueAt(run(grey, {customStep(3, 1, {1, 1, 1}, 3)}), 1, 0, 0), 175.0); // (200 + 10) / 1.2
}

void PipelineTest::premultipliedKeepsAlphaWhereOnlyColoursAreNamed() {
    const Image source = picture(3, 1, rgba8, {200, 0, 0, 255, 0, 100, 0, 0, 0, 0, 50, 51});
    FilterStep step = customStep(3, 1, {1, 1, 1}, 3);
    step.channels = {ChannelSelection::Kind::Mask, 1u};
    const Image result = run(source, {step});
    QCOMPARE(valueAt(result, 1, 0, 0), 167.0);
    QCOMPARE(valueAt(result, 1, 0, 1), 100.0);
    QCOMPARE(valueAt(result, 1, 0, 3), 0.0);
}

void PipelineTest::premultipliedZeroAlphaGivesZero() {
    const Image source = picture(3, 1, rgba8, {200, 90, 10, 0, 200, 90, 10, 0, 200, 90, 10, 0});
    FilterStep step = customStep(3, 1, {1, 1, 1}, 3);
    step.offset = 20;
    QCOMPARE(valuesOf(run(source, {step})), Values(12, 0.0));
}

void PipelineTest::whatOnlyMovesKeepsTransparentColours() {
    const Image source = picture(3, 1, rgba8, {200, 90, 10, 0, 1, 2, 3, 4, 7, 8, 9, 255});
    QVERIFY(identical(run(source, {customStep(1, 1, {1}, 1)}), source));
    QVERIFY(identical(run(source, {customStep(3, 3, {0, 0, 0, 0, 2, 0, 0, 0, 0}, 2)}), source));
    const Image moved = picture(3, 1, rgba8, {1, 2, 3, 4, 7, 8, 9, 255, 7, 8, 9, 255});
    QVERIFY(identical(run(source, {customStep(3, 1, {0, 0, 1}, 1)}), moved));
    // A gain is no move: alpha must not grow with it.
    QCOMPARE(valueAt(run(source, {customStep(1, 1, {2}, 1)}), 1, 0, 3), 4.0);
}

void PipelineTest::premultipliedOpaqueIsPlain_data() {
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("border");
    for (const Depth depth : {Depth::U8, Depth::U16, Depth::F32})
        for (int border = 0; border < 6; ++border)
            QTest::addRow("%s %d", depthName(depth), border) << int(depth) << border;
}

void PipelineTest::premultipliedOpaqueIsPlain() {
    QFETCH(int, depth);
    QFETCH(int, border);
    std::mt19937_64 random(std::uint64_t(depth * 10 + border));
    const PixelFormat format{Depth(depth), 3};
    const Image colours = randomPicture(19, 11, format, random);
    Image opaque(19, 11, {format.depth, 4});
    for (int y = 0; y < 11; ++y)
        for (int x = 0; x < 19; ++x)
            for (int c = 0; c < 4; ++c)
                setValue(opaque, x, y, c, c == 3 ? nominalMaximum(format.depth) : valueAt(colours, x, y, c));
    FilterStep step = customStep(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 40);
    step.alpha = AlphaMode::Premultiplied;
    step.border = {BorderMode(border), 0.7 * nominalMaximum(format.depth)};
    const Image plain = run(colours, {step, step});
    const Image result = run(opaque, {step, step});
    for (int y = 0; y < 11; ++y)
        for (int x = 0; x < 19; ++x) {
            for (int c = 0; c < 3; ++c)
                QCOMPARE(valueAt(result, x, y, c), valueAt(plain, x, y, c));
            QCOMPARE(valueAt(result, x, y, 3), nominalMaximum(format.depth));
        }
}

// Whatever the kernel's gain and sign, a picture equally transparent everywhere keeps its alpha and gets the colours
// of plain filtering.
void PipelineTest::premultipliedConstantAlphaIsPlainColour() {
    const Image source = picture(3, 1, greyAlpha8, {10, 102, 20, 102, 60, 102});
    FilterStep gain = customStep(3, 1, {1, 1, 1}, 1);
    QCOMPARE(valuesOf(run(source, {gain})), (Values{40, 102, 90, 102, 140, 102}));
    FilterStep edges = customStep(3, 1, {1, -2, 1}, 1);
    edges.alpha = AlphaMode::Premultiplied;
    QCOMPARE(valuesOf(run(source, {edges})), (Values{10, 102, 30, 102, 0, 102}));
}

// Outside, zero is transparent: it takes from alpha, not from the colour. A constant is an opaque colour.
void PipelineTest::premultipliedBorders() {
    const Image source = picture(2, 1, greyAlpha8, {100, 255, 100, 153});
    FilterStep step = customStep(3, 1, {1, 1, 1}, 3);
    step.border.mode = BorderMode::Zero;
    QCOMPARE(valuesOf(run(source, {step})), (Values{100, 136, 100, 136})); // (255 + 153) / 3
    step.border = {BorderMode::Constant, 40};
    // (40 + 100 + 60) / 2.6 = 76.9, alpha (255 + 255 + 153) / 3 = 221
    QCOMPARE(valuesOf(run(source, {step})), (Values{77, 221, 77, 221}));
}

void PipelineTest::automaticAlphaPreservesForNegativeTaps() {
    const Image source = picture(3, 1, rgba8, {50, 0, 0, 255, 100, 100, 0, 0, 150, 0, 50, 51});
    const Image result = run(source, {customStep(3, 1, {-1, 3, -1}, 1)});
    QCOMPARE(valuesOf(result), (Values{0, 0, 0, 255, 100, 255, 0, 0, 200, 0, 100, 51}));
}

void PipelineTest::independentAlpha() {
    const Image source = picture(3, 1, greyAlpha8, {30, 255, 60, 0, 90, 51});
    FilterStep step = customStep(3, 1, {1, 1, 1}, 3);
    step.alpha = AlphaMode::Independent;
    QCOMPARE(valuesOf(run(source, {step})), (Values{40, 170, 60, 102, 80, 34}));
    // Also where colours take another way: the alpha of linear light is filtered as stored.
    step.linear = true;
    QCOMPARE(valueAt(run(source, {step}), 1, 0, 1), 102.0);
    FilterStep negative = customStep(3, 1, {-1, 3, -1}, 1);
    negative.channels.kind = ChannelSelection::Kind::Rgba; // alpha named: filtered, and with negative taps on its own
    QCOMPARE(valueAt(run(source, {negative}), 2, 0, 1), 102.0); // 3 * 51 - 0 - 51
}

void PipelineTest::masks() {
    const Image source = picture(1, 1, rgba8, {10, 20, 30, 40});
    FilterStep step = customStep(1, 1, {2}, 1);
    step.alpha = AlphaMode::Independent;
    const auto masked = [&](unsigned mask) {
        step.channels = {ChannelSelection::Kind::Mask, mask};
        return valuesOf(run(source, {step}));
    };
    QCOMPARE(masked(1u), (Values{20, 20, 30, 40}));
    QCOMPARE(masked(2u | 8u), (Values{10, 40, 30, 80}));
    QCOMPARE(masked(15u), (Values{20, 40, 60, 80}));
    const Image greyAlpha = picture(1, 1, greyAlpha8, {10, 40});
    step.channels = {ChannelSelection::Kind::Mask, 8u};
    QCOMPARE(valuesOf(run(greyAlpha, {step})), (Values{10, 80}));
    step.channels = {ChannelSelection::Kind::Mask, 2u}; // a grey picture has no green: an error, not a silent copy
    QVERIFY_EXCEPTION_THROWN(run(greyAlpha, {step}), Error);
}

// The mean of black and white is 0.5 in linear light, which sRGB stores as 187.5.
void PipelineTest::linearLight() {
    const Image source = picture(2, 1, grey8, {0, 255});
    FilterStep step = customStep(2, 1, {1, 1}, 2);
    step.linear = true;
    QCOMPARE(valueAt(run(source, {step}), 1, 0, 0), 188.0);
    QCOMPARE(valueAt(run(source, {step}, OutputDepth::U16), 1, 0, 0), std::rint(65535 * 0.7353569831));
    step.offset = -88; // added to the stored value
    QCOMPARE(valueAt(run(source, {step}), 1, 0, 0), 100.0);
    step.offset.reset();
    step.border = {BorderMode::Constant, 255}; // white is white in linear light too
    QCOMPARE(valueAt(run(source, {step}), 0, 0, 0), 188.0);
    std::mt19937_64 random(5);
    const Image any = randomPicture(40, 40, rgb8, random);
    FilterStep identity = customStep(1, 1, {1}, 1);
    identity.linear = true;
    QVERIFY(identical(run(any, {identity}), any));
}

void PipelineTest::linearLightLeavesFloatAlone() {
    std::mt19937_64 random(6);
    const Image source = randomPicture(9, 7, {Depth::F32, 3}, random);
    FilterStep step = customStep(3, 1, {1, 2, 3}, 6);
    const Image stored = run(source, {step});
    step.linear = true;
    QVERIFY(identical(run(source, {step}), stored));
}

// The kernel takes the right neighbour: lightness falls from 0.2126 * 255 to 0.0722 * 255, by 35.8.
void PipelineTest::lumaByHand() {
    const Image source = picture(2, 1, rgb8, {255, 100, 0, 0, 0, 255});
    FilterStep step = customStep(3, 1, {0, 0, 1}, 1);
    step.channels.kind = ChannelSelection::Kind::Luma;
    const double before = 0.2126 * 255 + 0.7152 * 100, change = 0.0722 * 255 - before;
    const Image result = run(source, {step});
    QCOMPARE(valueAt(result, 0, 0, 0), std::rint(255 + change));
    QCOMPARE(valueAt(result, 0, 0, 1), std::max(0.0, std::rint(100 + change)));
    QCOMPARE(valueAt(result, 0, 0, 2), 0.0);
    QCOMPARE(valueAt(result, 1, 0, 2), 255.0);
    const Image grey = picture(2, 1, grey8, {7, 9}); // a grey picture is its own lightness
    QCOMPARE(valuesOf(run(grey, {step})), (Values{9, 9}));
}

void PipelineTest::lumaIdentityIsExact() {
    std::mt19937_64 random(7);
    FilterStep step = customStep(1, 1, {1}, 1);
    step.channels.kind = ChannelSelection::Kind::Luma;
    step.alpha = AlphaMode::Preserve;
    for (const Depth depth : {Depth::U8, Depth::U16, Depth::F32}) {
        const Image source = randomPicture(30, 20, {depth, 4}, random);
        QVERIFY(identical(run(source, {step}), source));
    }
}

void PipelineTest::responses() {
    const Image source = picture(2, 1, grey8, {10, 90});
    FilterStep step = customStep(3, 1, {1, 0, -1}, 1); // left minus right: -80 and -80
    QCOMPARE(valuesOf(run(source, {step})), (Values{0, 0}));
    step.response = ResponseMode::Absolute;
    QCOMPARE(valuesOf(run(source, {step})), (Values{80, 80}));
    step.response = ResponseMode::Signed;
    QCOMPARE(valuesOf(run(source, {step})), (Values{48, 48}));
    // The same through the passes around the engine, which a change of depth makes necessary.
    QCOMPARE(valuesOf(run(source, {step}, OutputDepth::U16)), (Values{48 * 257, 48 * 257}));
    step.response = ResponseMode::Absolute;
    QCOMPARE(valuesOf(run(source, {step}, OutputDepth::U16)), (Values{80 * 257, 80 * 257}));
}

void PipelineTest::rangeStretches() {
    const Image source = picture(3, 1, rgb8, {10, 0, 0, 20, 0, 0, 60, 0, 0});
    FilterStep step = customStep(1, 1, {-1}, 1);
    step.response = ResponseMode::Range;
    step.channels = {ChannelSelection::Kind::Mask, 1u};
    QCOMPARE(valuesOf(run(source, {step})), (Values{255, 0, 0, 204, 0, 0, 0, 0, 0})); // -10, -20, -60
    const Image flat = picture(2, 1, grey8, {30, 30});
    FilterStep gain = customStep(1, 1, {2}, 1);
    gain.response = ResponseMode::Range;
    QCOMPARE(valuesOf(run(flat, {gain})), (Values{60, 60}));
}

void PipelineTest::floatOutputIsNotLimited() {
    const Image source = picture(2, 1, grey8, {0, 255});
    FilterStep step = customStep(3, 1, {2, 0, -2}, 1);
    step.response = ResponseMode::Absolute;
    PipelineTimes times;
    const Image result = run(source, {step}, OutputDepth::F32, &times);
    QCOMPARE(valuesOf(result), (Values{-2, -2}));
    QVERIFY2(times.note.find("response") != std::string::npos, times.note.c_str());
    // Nor between steps.
    FilterStep half = customStep(1, 1, {1}, 2);
    QCOMPARE(valuesOf(run(source, {step, half}, OutputDepth::F32)), (Values{-1, -1}));
}

void PipelineTest::magnitudeAndMaximum() {
    Image ramp(5, 5, grey8);
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 5; ++x)
            setValue(ramp, x, y, 0, 3 * x + 4 * y);
    FilterStep sobel = namedStep("sobel"); // 8 * 3 and 8 * 4: magnitude 40
    sobel.divisor = 1;
    QCOMPARE(valueAt(run(ramp, {sobel}), 2, 2, 0), 40.0);
    sobel.offset = 5; // once, not twice
    QCOMPARE(valueAt(run(ramp, {sobel}), 2, 2, 0), 45.0);
    FilterStep kirsch = namedStep("kirsch");
    kirsch.divisor = 1;
    const Image flat = picture(3, 3, grey8, Values(9, 77));
    QCOMPARE(valuesOf(run(flat, {kirsch})), Values(9, 0.0));
    // The direction of steepest ascent, +x and +y: 5 * (three bright neighbours) - 3 * (the other five).
    const double centre = 3 * 2 + 4 * 2;
    const auto at = [](int dx, int dy) { return 3.0 * dx + 4.0 * dy; };
    const double diagonal =
        5 * (at(1, 0) + at(1, 1) + at(0, 1)) - 3 * (at(-1, 1) + at(-1, 0) + at(-1, -1) + at(0, -1) + at(1, -1));
    const double down =
        5 * (at(-1, 1) + at(0, 1) + at(1, 1)) - 3 * (at(-1, 0) + at(1, 0) + at(-1, -1) + at(0, -1) + at(1, -1));
    QVERIFY(centre > 0);
    QCOMPARE(valueAt(run(ramp, {kirsch}), 2, 2, 0), std::max(diagonal, down));
}

void PipelineTest::depths() {
    const Image source = picture(2, 1, grey8, {0, 1});
    const FilterStep mean = customStep(2, 1, {1, 1}, 2);
    QCOMPARE(run(source, {mean}).format().depth, Depth::U8);
    QCOMPARE(valueAt(run(source, {mean}), 1, 0, 0), 0.0);                     // 0.5 to even
    QCOMPARE(valueAt(run(source, {mean}, OutputDepth::U16), 1, 0, 0), 128.0); // 0.5 * 257 = 128.5, to even
    QCOMPARE(valueAt(run(source, {mean}, OutputDepth::F32), 1, 0, 0), double(0.5f / 255.0f));
    const Image light = picture(2, 1, {Depth::F32, 1}, {0.25, 0.75});
    QCOMPARE(valueAt(run(light, {mean}, OutputDepth::U8), 1, 0, 0), 128.0); // 0.5 * 255 = 127.5, to even
}

void PipelineTest::convertsDepth() {
    Image all(256, 1, grey8);
    for (int x = 0; x < 256; ++x)
        setValue(all, x, 0, 0, x);
    const Image deep = convertDepth(all, Depth::U16);
    for (int x = 0; x < 256; ++x)
        QCOMPARE(valueAt(deep, x, 0, 0), x * 257.0);
    QVERIFY(identical(convertDepth(deep, Depth::U8), all));
    QVERIFY(identical(convertDepth(convertDepth(all, Depth::F32), Depth::U8), all));
    QVERIFY(identical(convertDepth(convertDepth(deep, Depth::F32), Depth::U16), deep));
    QCOMPARE(valueAt(convertDepth(all, Depth::F32), 255, 0, 0), 1.0);
    const Image outside = picture(3, 1, {Depth::F32, 1}, {-0.5, 1.5, std::nan("")});
    QCOMPARE(valuesOf(convertDepth(outside, Depth::U8)), (Values{0, 255, 0}));
    const Image halves = picture(3, 1, {Depth::U16, 1}, {128, 129, 386}); // 0.498, 0.502 and 1.502 levels
    QCOMPARE(valuesOf(convertDepth(halves, Depth::U8)), (Values{0, 1, 2}));
}

void PipelineTest::nothingEnabledIsACopy() {
    std::mt19937_64 random(8);
    Image source = randomPicture(9, 7, rgba8, random);
    source.metadata.sourceFormat = "png";
    source.metadata.exif = {1, 2, 3};
    FilterStep off = customStep(1, 1, {0}, 1);
    off.enabled = false;
    const Image result = run(source, {off});
    QVERIFY(identical(result, source));
    QCOMPARE(result.metadata.exif, source.metadata.exif);
    QCOMPARE(result.metadata.sourceFormat, source.metadata.sourceFormat);
    QVERIFY(identical(run(source, {off}, OutputDepth::U16), convertDepth(source, Depth::U16)));
}

void PipelineTest::refusesContradictions() {
    const FilterStep good = customStep(3, 3, Values(9, 1.0), 9);
    QCOMPARE(kindThrown({good}), ErrorKind::Internal); // that is: nothing
    FilterStep step = good;
    step.anchor = {3, 0};
    QCOMPARE(kindThrown({step}), ErrorKind::Usage);
    step.enabled = false;
    QCOMPARE(kindThrown({step}), ErrorKind::Internal);
    step = good;
    step.divisor = 0;
    QCOMPARE(kindThrown({good, step}), ErrorKind::Usage);
    step = good;
    step.divisor = 2;
    step.normalize = true;
    QCOMPARE(kindThrown({step}), ErrorKind::Usage);
    step = good;
    step.channels = {ChannelSelection::Kind::Mask, 0};
    QCOMPARE(kindThrown({step}), ErrorKind::Usage);
    step = good;
    step.channels.kind = ChannelSelection::Kind::Rgba;
    step.alpha = AlphaMode::Preserve;
    QCOMPARE(kindThrown({step}), ErrorKind::Usage);
    step = good;
    step.filter.name = "no-such-filter";
    QCOMPARE(kindThrown({step}), ErrorKind::Usage);
    const Image source = picture(1, 1, grey8, {1});
    QVERIFY_EXCEPTION_THROWN(run(source, {step}), Error);
}

QTEST_GUILESS_MAIN(PipelineTest)
#include "pipeline_test.moc"
