#include "app/session/kernel_analysis.h"
#include "app/session/kernel_edit.h"
#include "app/session/preview.h"
#include "app/session/tap_sum.h"

#include <QTest>

#include <cmath>

using namespace tessera;

namespace {

ConvolutionKernel numbered(int width, int height) {
    std::vector<double> taps(std::size_t(width * height));
    for (std::size_t i = 0; i < taps.size(); ++i)
        taps[i] = double(i + 1);
    return ConvolutionKernel::centred(width, height, taps);
}

ConvolutionKernel kernelOf(const char *filter) { return buildFilter(parseFilter(filter)).kernels.front(); }

class SessionKernelTest : public QObject {
    Q_OBJECT

private slots:
    void turningFourTimesIsNothing();
    void turnsAreClockwiseAsDrawn();
    void resizingKeepsTheMiddle();
    void pastedCellsGrowTheKernel();
    void ranks();
    void twoPassesGiveTheSameTaps();
    void frequencyResponses();
    void tapSumsAreThePipelinesValues();
    void coarseKernelsKeepTheirSum();
    void previewsShrinkLengths();
};

void SessionKernelTest::turningFourTimesIsNothing() {
    ConvolutionKernel kernel = numbered(4, 3);
    kernel.anchorX = 1;
    kernel.anchorY = 2;
    QVERIFY(rotated90(rotated90(rotated90(rotated90(kernel)))) == kernel);
    QVERIFY(rotated90(rotated90(kernel)) == kernel.rotated180());
    QVERIFY(mirroredHorizontally(mirroredVertically(kernel)) == kernel.rotated180());
    QVERIFY(mirroredHorizontally(mirroredHorizontally(kernel)) == kernel);
}

void SessionKernelTest::turnsAreClockwiseAsDrawn() {
    const ConvolutionKernel turned = rotated90(numbered(3, 2)); // 1 2 3 / 4 5 6
    QCOMPARE(turned.width, 2);
    QCOMPARE(turned.taps, (std::vector<double>{4, 1, 5, 2, 6, 3}));
    QCOMPARE(mirroredHorizontally(numbered(3, 1)).taps, (std::vector<double>{3, 2, 1}));
}

void SessionKernelTest::resizingKeepsTheMiddle() {
    const ConvolutionKernel grown = resized(numbered(3, 3), 5, 5);
    QCOMPARE(grown.at(2, 2), 5.0);
    QCOMPARE(grown.at(1, 1), 1.0);
    QCOMPARE(grown.at(0, 0), 0.0);
    QCOMPARE(grown.anchorX, 2);
    QVERIFY(resized(grown, 3, 3) == numbered(3, 3));
    const ConvolutionKernel one = resized(numbered(3, 3), 1, 1);
    QCOMPARE(one.taps, std::vector<double>{5});
    QCOMPARE(one.anchorX, 0);
    ConvolutionKernel cornered = numbered(3, 3);
    cornered.anchorX = cornered.anchorY = 0;
    const ConvolutionKernel moved = resized(cornered, 5, 5);
    QCOMPARE(moved.at(moved.anchorX, moved.anchorY), 1.0); // the anchor stays on its tap
}

void SessionKernelTest::pastedCellsGrowTheKernel() {
    const ConvolutionKernel pasted = withPastedTaps(numbered(3, 3), 2, 2, "10\t-20\r\n0.5;1e2\n");
    QCOMPARE(pasted.width, 4);
    QCOMPARE(pasted.height, 4);
    QCOMPARE(pasted.at(2, 2), 10.0);
    QCOMPARE(pasted.at(3, 2), -20.0);
    QCOMPARE(pasted.at(3, 3), 100.0);
    QCOMPARE(pasted.at(0, 0), 1.0);
    QVERIFY_EXCEPTION_THROWN(withPastedTaps(numbered(3, 3), 0, 0, "1 two 3"), Error);
    QVERIFY_EXCEPTION_THROWN(withPastedTaps(numbered(3, 3), 0, 0, " \n"), Error);
    QVERIFY_EXCEPTION_THROWN(withPastedTaps(numbered(3, 3), 254, 0, "1 2"), Error);
}

void SessionKernelTest::ranks() {
    QCOMPARE(analyseRank(kernelOf("gaussian:sigma=2")).rank, 1);
    QCOMPARE(analyseRank(kernelOf("sobel-x")).rank, 1);
    QCOMPARE(analyseRank(kernelOf("laplacian")).rank, 2);
    QVERIFY(analyseRank(kernelOf("gaussian:sigma=2")).separableError < 1e-12);
    QVERIFY(analyseRank(kernelOf("disk:radius=5")).separableError > 0.05);
    ConvolutionKernel zero = numbered(3, 3);
    zero.taps.assign(9, 0.0);
    analyseRank(zero); // must not divide by 0
}

void SessionKernelTest::twoPassesGiveTheSameTaps() {
    for (const char *filter : {"gaussian:sigma=1.5", "box:width=5,height=3", "sobel-x", "sobel-y"}) {
        const ConvolutionKernel kernel = kernelOf(filter);
        const auto [across, down] = separated(kernel);
        QCOMPARE(across.height, 1);
        QCOMPARE(down.width, 1);
        for (int v = 0; v < kernel.height; ++v)
            for (int u = 0; u < kernel.width; ++u) {
                const double product =
                    across.at(u, 0) * down.at(0, v) / (across.effectiveDivisor() * down.effectiveDivisor());
                QVERIFY2(std::abs(product - kernel.at(u, v) / kernel.effectiveDivisor()) < 1e-12, filter);
            }
    }
}

void SessionKernelTest::frequencyResponses() {
    const std::vector<float> box = frequencyResponse(ConvolutionKernel::centred(3, 1, {1, 1, 1}), 64);
    QVERIFY(std::abs(box[32 * 64 + 32] - 1.0f) < 1e-5f); // the divisor is automatic: flat areas stay
    // |1 + 2 cos(2 pi f)| / 3 at f = 1/4.
    QVERIFY(std::abs(box[32 * 64 + 48] - 1.0f / 3) < 1e-5f);
    const std::vector<float> edge = frequencyResponse(kernelOf("sobel-x"), 64);
    QVERIFY(edge[32 * 64 + 32] < 1e-6f);
}

void SessionKernelTest::tapSumsAreThePipelinesValues() {
    Image image(9, 7, {Depth::U8, 3});
    for (int y = 0; y < 7; ++y)
        for (int i = 0; i < 27; ++i)
            image.view().row<std::uint8_t>(y)[i] = std::uint8_t((i * 53 + y * 31) % 256);
    const EngineChoice choice = chooseEngine("auto", "auto");
    for (const char *filter : {"gaussian:sigma=1", "sharpen", "emboss", "unsharp:sigma=1"})
        for (const BorderName &border : borderNames) {
            FilterStep step;
            step.filter = parseFilter(filter);
            step.border = {border.mode, 40};
            const Image result = runPipeline(image, std::span(&step, 1), choice, OutputDepth::F32);
            for (const auto &[x, y] : {std::pair{0, 0}, {4, 3}, {8, 6}, {8, 0}})
                for (int c = 0; c < 3; ++c) {
                    const TapSum sum = explainPixel(image.view(), step, x, y, c);
                    // A float result is scaled to 0..1.
                    QVERIFY2(std::abs(sum.value / 255 - double(result.view().row<float>(y)[x * 3 + c])) < 1e-4, filter);
                    QVERIFY(sum.caveat.empty());
                }
        }
    FilterStep single;
    single.filter = {"custom", {}, ConvolutionKernel::centred(3, 1, {2, -1, 0})};
    single.filter.kernel.divisor = 1.0;
    const TapSum sum = explainPixel(image.view(), single, 1, 0, 0);
    QCOMPARE(QString::fromStdString(tapSumText(sum)), QStringLiteral("−1·159 + 2·0 = -159"));
}

void SessionKernelTest::coarseKernelsKeepTheirSum() {
    for (const char *filter : {"gaussian:sigma=4", "disk:radius=7", "sharpen"})
        for (int level = 0; level <= 4; ++level) {
            const ConvolutionKernel kernel = kernelOf(filter), coarse = coarsened(kernel, level);
            QVERIFY(std::abs(coarse.sum() - kernel.sum()) < 1e-9 * std::max(1.0, std::abs(kernel.sum())));
            QVERIFY(coarse.width <= kernel.width && coarse.width % 2 == 1);
            QVERIFY(coarse.anchorX >= 0 && coarse.anchorX < coarse.width);
        }
}

void SessionKernelTest::previewsShrinkLengths() {
    Chain chain;
    chain.steps.resize(2);
    chain.steps[0].filter = parseFilter("gaussian:sigma=8");
    chain.steps[1].filter = parseFilter("sobel");
    const auto preview = previewChain(chain, 2);
    QVERIFY(preview);
    QCOMPARE(preview->steps[0].filter.values.at("sigma"), 2.0);
    QVERIFY(preview->steps[1] == chain.steps[1]);
}

} // namespace

QTEST_APPLESS_MAIN(SessionKernelTest)
#include "session_kernel_test.moc"
