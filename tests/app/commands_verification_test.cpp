// --verify judges by what float32 arithmetic costs the chain: correct results pass where terms cancel, wrong ones fail.
#include "app/commands/batch/verification.h"

#include <QTest>

#include <cmath>

using namespace tessera;

namespace {

FilterStep step(const std::string &name, ParameterValues values = {}) {
    FilterStep one;
    one.filter.name = name;
    one.filter.values = std::move(values);
    one.border.mode = BorderMode::Replicate;
    return one;
}

FilterStep difference(float factor) {
    FilterStep one = step("custom");
    one.filter.kernel.width = 3;
    one.filter.kernel.height = 1;
    one.filter.kernel.anchorX = 1;
    one.filter.kernel.anchorY = 0;
    one.filter.kernel.taps = {-factor, 0, factor};
    return one;
}

using Chain = std::vector<FilterStep>;

enum class Content { Noise, Ramp };

Image picture(Depth depth, Content content) {
    constexpr int side = 96;
    Image image(side, side, {depth, 3});
    unsigned state = 7;
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side * 3; ++x) {
            state = state * 1664525u + 1013904223u;
            const double share =
                content == Content::Noise ? double(state >> 8) / (1 << 24) : 0.4 + 0.5 * (x / 3 + y) / (2 * side);
            if (depth == Depth::F32)
                image.view().row<float>(y)[x] = float(share);
            else if (depth == Depth::U16)
                image.view().row<std::uint16_t>(y)[x] = std::uint16_t(share * 65535);
            else
                image.view().row<std::uint8_t>(y)[x] = std::uint8_t(share * 255);
        }
    return image;
}

Image filtered(const Image &source, const Chain &chain, OutputDepth depth) {
    return runPipeline(source, chain, chooseEngine("auto", "cpu"), depth);
}

bool passes(const Image &source, const Image &result, const Chain &chain, OutputDepth depth) {
    return verifyOutput(source, result, chain, depth, "direct", {}).withinBounds;
}

const Chain cancelling{step("gaussian", {{"sigma", 3}}), step("laplacian")};

} // namespace

class CommandsVerificationTest : public QObject {
    Q_OBJECT
private slots:
    void correctChainsPass_data();
    void correctChainsPass();
    void wrongResultsFail_data();
    void wrongResultsFail();
    void theBoundFollowsTheGain();
    void nonfinitePicturesPass_data();
    void nonfinitePicturesPass();
    void nonfinitePicturesAreStillHeldToIt();
    void magnitudesOfLargeFloatsAreFinite();
    void whatIsStretchedIsMeasuredStretched();
    void thinAlphaLeavesColoursOpen();
    void theCauseIsTheTrueOne();
};

// An error that is within the bounds is told of with what it comes from, and a sound result with nothing.
void CommandsVerificationTest::theCauseIsTheTrueOne() {
    using Cause = Verification::Cause;
    const auto told = [](const Image &source, const Image &result, const Chain &chain, const std::string &variant) {
        const Verification found = verifyOutput(source, result, chain, OutputDepth::Keep, variant, {});
        return std::pair(found.cause, coarseNote(found, result.format().depth, variant));
    };
    const auto has = [](const std::string &note, const char *word) { return note.find(word) != std::string::npos; };
    const auto offBy = [](const Image &good, int levels) {
        Image changed = good.clone();
        std::uint16_t &value = changed.view().row<std::uint16_t>(40)[40 * good.format().channels];
        value = std::uint16_t(value < 32768 ? value + levels : value - levels);
        return changed;
    };
    const Chain smooth{step("gaussian", {{"sigma", 1}})}, sharp{step("sharpen")};
    const Image rgb = picture(Depth::U16, Content::Noise);
    const Image good = filtered(rgb, smooth, OutputDepth::Keep);
    QVERIFY(told(rgb, good, smooth, "cpu").second.empty());

    PipelineTimes times;
    const Image half =
        runPipeline(rgb, smooth, chooseEngine("tiled-half2", "sim"), OutputDepth::Keep, RunControl(), &times);
    const auto [ofHalf, noteOfHalf] = told(rgb, half, smooth, times.variant);
    QVERIFY(ofHalf == Cause::ReducedPrecision);
    QVERIFY2(has(noteOfHalf, "half precision") && !has(noteOfHalf, "taps"), noteOfHalf.c_str());

    const auto [ofTaps, noteOfTaps] =
        told(rgb, offBy(filtered(rgb, {difference(1e6f)}, OutputDepth::Keep), 4), {difference(1e6f)}, "cpu");
    QVERIFY(ofTaps == Cause::CancellingTaps);
    QVERIFY2(has(noteOfTaps, "taps") && has(noteOfTaps, "4 levels"), noteOfTaps.c_str());

    Image soft(96, 96, {Depth::U16, 4});
    for (int y = 0; y < 96; ++y)
        for (int x = 0; x < 96 * 4; ++x)
            soft.view().row<std::uint16_t>(y)[x] = std::uint16_t(20000 + (x * 7919 + y * 104729) % 30000);
    Chain weighted = sharp;
    weighted[0].alpha = AlphaMode::Premultiplied;
    const auto [ofAlpha, noteOfAlpha] =
        told(soft, offBy(filtered(soft, weighted, OutputDepth::Keep), 4), weighted, "cpu");
    QVERIFY(ofAlpha == Cause::ThinAlpha);
    QVERIFY2(has(noteOfAlpha, "alpha") && !has(noteOfAlpha, "taps are"), noteOfAlpha.c_str());
    QVERIFY(told(rgb, offBy(filtered(rgb, sharp, OutputDepth::Keep), 4), sharp, "cpu").first == Cause::None);

    Image flat(96, 96, {Depth::U16, 1});
    for (int y = 0; y < 96; ++y)
        for (int x = 0; x < 96; ++x)
            flat.view().row<std::uint16_t>(y)[x] = std::uint16_t(30000 + (x > 40));
    Chain stretched = smooth;
    stretched[0].response = ResponseMode::Range;
    QVERIFY(told(flat, offBy(filtered(flat, stretched, OutputDepth::Keep), 4), stretched, "cpu").first ==
            Cause::Stretch);
}

// Under negative taps alpha can come out next to nothing, and colours are divided by it: whatever they are is right.
// Where alpha is not thin they are held to it.
void CommandsVerificationTest::thinAlphaLeavesColoursOpen() {
    Image source(60, 50, {Depth::F32, 4});
    unsigned state = 11;
    for (int y = 0; y < 50; ++y)
        for (int i = 0; i < 240; ++i) {
            state = state * 1664525u + 1013904223u;
            source.view().row<float>(y)[i] = float(state >> 8) / (1 << 24);
        }
    Chain chain{step("unsharp")};
    chain.front().alpha = AlphaMode::Premultiplied;
    Image result = filtered(source, chain, OutputDepth::Keep);
    QVERIFY(passes(source, result, chain, OutputDepth::Keep));
    int thin = 0;
    for (int y = 0; y < 50; ++y)
        for (int x = 0; x < 60; ++x) {
            float *const pixel = result.view().row<float>(y) + 4 * x;
            if (std::fabs(pixel[3]) < 0.05f && ++thin > 0)
                pixel[1] += 3.0f;
        }
    QVERIFY(thin > 10);
    QVERIFY(passes(source, result, chain, OutputDepth::Keep));
    float *const firm = result.view().row<float>(25);
    const int x =
        int(std::find_if(firm, firm + 240, [&, i = 0](float value) mutable { return i++ % 4 == 3 && value > 0.5f; }) -
            firm) /
        4;
    firm[4 * x + 1] += 3.0f;
    QVERIFY(!passes(source, result, chain, OutputDepth::Keep));
}

void CommandsVerificationTest::correctChainsPass_data() {
    QTest::addColumn<Chain>("chain");
    QTest::newRow("gaussian, laplacian") << cancelling;
    QTest::newRow("gaussian, laplacian, laplacian")
        << Chain{step("gaussian", {{"sigma", 3}}), step("laplacian"), step("laplacian")};
    QTest::newRow("box, sobel") << Chain{step("box", {{"width", 21}, {"height", 21}}), step("sobel")};
    QTest::newRow("disk, large difference") << Chain{step("disk", {{"radius", 12}}), difference(3000)};
    QTest::newRow("gaussian, kirsch") << Chain{step("gaussian", {{"sigma", 5}}), step("kirsch")};
    QTest::newRow("gaussian, log") << Chain{step("gaussian", {{"sigma", 2}}), step("log")};
    QTest::newRow("unsharp, laplacian, gaussian") << Chain{step("unsharp"), step("laplacian"), step("gaussian")};
}

void CommandsVerificationTest::correctChainsPass() {
    QFETCH(Chain, chain);
    for (const Content content : {Content::Noise, Content::Ramp})
        for (const Depth depth : {Depth::F32, Depth::U16, Depth::U8}) {
            const Image source = picture(depth, content);
            for (const OutputDepth output : {OutputDepth::F32, OutputDepth::U16, OutputDepth::U8})
                QVERIFY2(passes(source, filtered(source, chain, output), chain, output),
                         qPrintable(
                             QString("content %1, depth %2 to %3").arg(int(content)).arg(int(depth)).arg(int(output))));
        }
}

void CommandsVerificationTest::wrongResultsFail_data() {
    QTest::addColumn<Depth>("depth");
    QTest::addColumn<OutputDepth>("output");
    QTest::newRow("float") << Depth::F32 << OutputDepth::F32;
    QTest::newRow("16 bit to float") << Depth::U16 << OutputDepth::F32;
    QTest::newRow("8 bit to float") << Depth::U8 << OutputDepth::F32;
    QTest::newRow("16 bit") << Depth::U16 << OutputDepth::U16;
}

void CommandsVerificationTest::wrongResultsFail() {
    QFETCH(Depth, depth);
    QFETCH(OutputDepth, output);
    const Image source = picture(depth, Content::Noise);
    const Image good = filtered(source, cancelling, output);
    QVERIFY(passes(source, good, cancelling, output));
    const double sigma = output == OutputDepth::F32 ? 3.01 : 3.1; // integers round the little away
    QVERIFY(!passes(source, filtered(source, {step("gaussian", {{"sigma", sigma}}), step("laplacian")}, output),
                    cancelling, output));
    QVERIFY(!passes(source, filtered(source, {step("gaussian", {{"sigma", 3}}), step("identity")}, output), cancelling,
                    output));
    Chain otherBorder = cancelling;
    otherBorder[0].border.mode = BorderMode::Reflect;
    QVERIFY(!passes(source, filtered(source, otherBorder, output), cancelling, output));
    Image onePixel = good.clone();
    if (output == OutputDepth::F32)
        onePixel.view().row<float>(40)[40] += 1e-3f;
    else
        onePixel.view().row<std::uint16_t>(40)[40] ^= 64;
    QVERIFY(!passes(source, onePixel, cancelling, output));
}

void CommandsVerificationTest::theBoundFollowsTheGain() {
    const PixelFormat grey{Depth::F32, 1};
    const auto bound = [&](const Chain &chain, double largest) {
        return boundOf(chain, grey, largest, OutputDepth::F32);
    };
    const VerificationBound once = bound({difference(1)}, 1.0), tenfold = bound({difference(10)}, 1.0);
    QVERIFY(std::fabs(tenfold.largest / once.largest - 10) < 1e-9);
    QVERIFY(std::fabs(bound({difference(1)}, 5.0).largest / once.largest - 5) < 1e-9);
    QVERIFY(bound(Chain{difference(1), difference(100)}, 1.0).largest > 200 * once.largest);
    QVERIFY(once.typical > 0 && once.typical < once.largest);
    const VerificationBound levels = boundOf(Chain{difference(1)}, grey, 1.0, OutputDepth::U16);
    QVERIFY(std::fabs(levels.largest / once.largest / 65535 - 1) < 1e-9);
    QVERIFY(bound({}, 1.0).largest == 0);
    QVERIFY(bound({difference(1e-40f)}, 1.0).largest > 1.5e-45); // a float's smallest step
    // Sums that may leave float32's range have no bound: what is infinite on one side only is then wrong.
    QVERIFY(bound({difference(1e20)}, 1.0).largest > 0);
    QVERIFY(!bound({difference(1e20)}, 1.0).mayOverflow && bound({difference(1e30)}, 1e20).mayOverflow);
    QCOMPARE(bound({difference(1e30)}, 1e20).largest, 0.0);
    QCOMPARE(bound(Chain{difference(1e30), difference(1e-30)}, 1e20).largest, 0.0);
}

// NaN and infinities here and there, one near an edge and one in alpha where there is one.
Image withNonfinite(int channels, bool opaque) {
    Image image(40, 31, {Depth::F32, channels});
    unsigned state = 11;
    for (int y = 0; y < image.height(); ++y)
        for (int i = 0; i < image.width() * channels; ++i) {
            state = state * 1664525u + 1013904223u;
            const bool isAlpha = image.format().hasAlpha() && i % channels == channels - 1;
            image.view().row<float>(y)[i] = isAlpha && opaque ? 1.0f : float(state >> 8) / float(1 << 24);
        }
    image.view().row<float>(12)[20 * channels] = std::nanf("");
    image.view().row<float>(2)[3 * channels] = HUGE_VALF;
    image.view().row<float>(28)[38 * channels + (channels > 2 ? 1 : 0)] = -HUGE_VALF;
    if (image.format().hasAlpha() && !opaque)
        image.view().row<float>(20)[31 * channels - 1] = std::nanf("");
    return image;
}

void CommandsVerificationTest::nonfinitePicturesPass_data() {
    QTest::addColumn<Chain>("chain");
    QTest::newRow("laplacian, zeros at its corners") << Chain{step("laplacian")};
    QTest::newRow("kirsch") << Chain{step("kirsch")};
    QTest::newRow("sobel") << Chain{step("sobel")};
    QTest::newRow("gaussian") << Chain{step("gaussian", {{"sigma", 2}})};
    QTest::newRow("shift") << Chain{step("shift")};
    QTest::newRow("large box, large difference") << Chain{step("box", {{"width", 13}, {"height", 13}}), difference(9)};
    QTest::newRow("unsharp, laplacian") << Chain{step("unsharp"), step("laplacian")};
    Chain luma{step("sharpen")};
    luma[0].channels.kind = ChannelSelection::Kind::Luma;
    QTest::newRow("luma") << luma;
    Chain range{step("laplacian")};
    range[0].response = ResponseMode::Range;
    QTest::newRow("range") << range;
    // The first step limits its values, after which nothing tells what was open.
    QTest::newRow("laplacian, then range") << Chain{step("laplacian"), range[0]};
    Chain last{step("laplacian"), step("identity")};
    last[1].response = ResponseMode::Range;
    QTest::newRow("laplacian, stretched at last") << last;
    Chain both{range[0], step("gaussian", {{"sigma", 2}})};
    both[1].response = ResponseMode::Range;
    QTest::newRow("range twice") << both;
    Chain alpha{step("sobel")};
    alpha[0].alpha = AlphaMode::Premultiplied;
    QTest::newRow("premultiplied") << alpha;
    Chain mask{step("sharpen")};
    mask[0].channels = {ChannelSelection::Kind::Mask, 1u};
    QTest::newRow("one channel") << mask;
}

void CommandsVerificationTest::nonfinitePicturesPass() {
    QFETCH(Chain, chain);
    const std::vector<EngineChoice> choices{chooseEngine("auto", "cpu"), chooseEngine("naive", "sim"),
                                            chooseEngine("tiled-float4", "sim")};
    for (const BorderMode border : {BorderMode::Zero, BorderMode::Replicate, BorderMode::Reflect,
                                    BorderMode::Reflect101, BorderMode::Wrap, BorderMode::Constant})
        for (int channels = 1; channels <= 4; ++channels)
            for (const OutputDepth depth : {OutputDepth::F32, OutputDepth::U8, OutputDepth::U16}) {
                const Image source = withNonfinite(channels, channels == 4 && border == BorderMode::Zero);
                for (FilterStep &one : chain)
                    one.border = {border, 0.25};
                for (const EngineChoice &choice : choices) {
                    const Image result = runPipeline(source, chain, choice, depth);
                    const Verification verdict = verifyOutput(source, result, chain, depth, "direct", {});
                    QVERIFY2(verdict.withinBounds, qPrintable(QString("%1, border %2, %3 channels, depth %4: off by %5")
                                                                  .arg(QString::fromStdString(choice.variant))
                                                                  .arg(int(border))
                                                                  .arg(channels)
                                                                  .arg(int(depth))
                                                                  .arg(verdict.maximumError)));
                }
            }
}

void CommandsVerificationTest::nonfinitePicturesAreStillHeldToIt() {
    const Image source = withNonfinite(1, false);
    const Chain chain{step("laplacian")};
    const Image good = filtered(source, chain, OutputDepth::F32);
    const auto withValue = [&](int x, int y, float value) {
        Image changed = good.clone();
        changed.view().row<float>(y)[x] = value;
        return passes(source, changed, chain, OutputDepth::F32);
    };
    QVERIFY(withValue(19, 11, std::nanf("")));  // a zero of the kernel lies on the NaN
    QVERIFY(!withValue(19, 11, 0.5f));          // a number, but the wrong one
    QVERIFY(!withValue(20, 11, 0.5f));          // the NaN counts here
    QVERIFY(!withValue(18, 11, std::nanf(""))); // out of reach
    QVERIFY(!withValue(18, 11, 0.5f));
    QVERIFY(!withValue(30, 5, HUGE_VALF));

    const Image levels = filtered(source, chain, OutputDepth::U8);
    const auto withLevel = [&](int x, int y, int level) {
        Image changed = levels.clone();
        changed.view().row<std::uint8_t>(y)[x] = std::uint8_t(level);
        return passes(source, changed, chain, OutputDepth::U8);
    };
    QVERIFY(withLevel(19, 11, 0) && withLevel(19, 11, 255)); // what becomes of a NaN and of infinities
    QVERIFY(!withLevel(20, 12, 100));
    QVERIFY(!(withLevel(18, 11, 0) && withLevel(18, 11, 255)));
}

// The squares of what is combined leave the range of floats; their root does not.
void CommandsVerificationTest::magnitudesOfLargeFloatsAreFinite() {
    Image source = picture(Depth::F32, Content::Noise);
    for (int y = 0; y < source.height(); ++y)
        for (int i = 0; i < source.width() * 3; ++i)
            source.view().row<float>(y)[i] *= 1e30f;
    const Image result = filtered(source, {step("sobel")}, OutputDepth::F32);
    float largest = 0;
    for (int y = 0; y < result.height(); ++y)
        for (int i = 0; i < result.width() * 3; ++i)
            largest = std::max(largest, result.view().row<float>(y)[i]);
    QVERIFY(largest > 1e29f && largest < 1e31f);
}

// What a stretched response makes of rounding is no mistake; what it makes of a mistake is.
void CommandsVerificationTest::whatIsStretchedIsMeasuredStretched() {
    Image source = picture(Depth::F32, Content::Noise);
    for (int y = 0; y < source.height(); ++y)
        for (int i = 0; i < source.width() * 3; ++i)
            source.view().row<float>(y)[i] = 0.5f + 0.01f * source.view().row<float>(y)[i];
    Chain chain{step("gaussian", {{"sigma", 3}})};
    chain[0].response = ResponseMode::Range;
    const Image good = filtered(source, chain, OutputDepth::U16);
    QVERIFY(passes(source, good, chain, OutputDepth::U16));
    Chain other{step("gaussian", {{"sigma", 4}})};
    other[0].response = ResponseMode::Range;
    QVERIFY(!passes(source, filtered(source, other, OutputDepth::U16), chain, OutputDepth::U16));
    QVERIFY(!passes(source, filtered(source, {step("gaussian", {{"sigma", 3}})}, OutputDepth::U16), chain,
                    OutputDepth::U16));
}

QTEST_APPLESS_MAIN(CommandsVerificationTest)
#include "commands_verification_test.moc"
