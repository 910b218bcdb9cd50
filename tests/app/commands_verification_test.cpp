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
};

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
    QCOMPARE(bound({difference(1e30)}, 1e20).largest, 0.0);
    QCOMPARE(bound(Chain{difference(1e30), difference(1e-30)}, 1e20).largest, 0.0);
}

QTEST_APPLESS_MAIN(CommandsVerificationTest)
#include "commands_verification_test.moc"
