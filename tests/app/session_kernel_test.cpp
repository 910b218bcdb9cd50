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
    void twoPassesGiveTheSamePicture_data();
    void twoPassesGiveTheSamePicture();
    void twoPassesThatCannotBeAreRefused();
    void theWorstOutputIsReached();
    void impulsesShowTheTurn();
    void symmetryTakesTheOtherTapsAlong();
    void tapsAsPeopleWriteThem();
    void spreadsheetsWithDecimalCommas();
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

void SessionKernelTest::twoPassesGiveTheSamePicture_data() {
    QTest::addColumn<QByteArray>("filter");
    QTest::addColumn<int>("border");
    QTest::addColumn<int>("channels");
    QTest::addColumn<bool>("flip");
    for (const char *filter : {"gaussian:sigma=1.5", "box:width=5,height=3", "sobel-x", "sobel-y", "mixed", "onesided"})
        for (const BorderName &border : borderNames)
            for (const int channels : {1, 4})
                for (const bool flip : {false, true})
                    QTest::addRow("%s %s %d%s", filter, std::string(border.name).c_str(), channels, flip ? " flip" : "")
                        << QByteArray(filter) << int(border.mode) << channels << flip;
}

// Values below 0 and above white must not be lost between the passes.
void SessionKernelTest::twoPassesGiveTheSamePicture() {
    QFETCH(QByteArray, filter);
    QFETCH(int, border);
    QFETCH(int, channels);
    QFETCH(bool, flip);
    Image image(13, 11, {Depth::U8, channels});
    for (int y = 0; y < 11; ++y)
        for (int i = 0; i < 13 * channels; ++i)
            image.view().row<std::uint8_t>(y)[i] = std::uint8_t((i * 89 + y * 57 + i * i * y) % 256);
    FilterStep step;
    if (filter == "mixed") { // both factors have both signs
        step.filter = {"custom", {}, ConvolutionKernel::centred(3, 4, {2, 0, -3, -1, 0, 1.5, 4, 0, -6, 0, 0, 0})};
        step.filter.kernel.divisor = 3;
        step.filter.kernel.offset = 90;
    } else if (filter == "onesided") { // all below 0
        step.filter = {"custom", {}, ConvolutionKernel::centred(2, 2, {-1, -2, -2, -4})};
        step.filter.kernel.divisor = 4;
        step.filter.kernel.offset = 300;
    } else {
        step.filter = parseFilter(filter.constData());
    }
    step.border = {BorderMode(border), 70};
    step.flip = flip;
    const auto [first, second] = inTwoPasses(step, 255);
    QCOMPARE(std::min(first.filter.kernel.width, first.filter.kernel.height), 1);
    QCOMPARE(std::min(second.filter.kernel.width, second.filter.kernel.height), 1);
    const EngineChoice choice = chooseEngine("auto", "auto");
    const FilterStep passes[] = {first, second};
    for (const ResponseMode response : {ResponseMode::Clamp, ResponseMode::Signed}) {
        step.response = response;
        FilterStep answered[] = {passes[0], passes[1]};
        answered[1].response = response;
        const Image one = runPipeline(image, std::span(&step, 1), choice, OutputDepth::Keep);
        const Image two = runPipeline(image, answered, choice, OutputDepth::Keep);
        const Image unrounded = runPipeline(image, std::span(&step, 1), choice, OutputDepth::F32);
        for (int y = 0; y < 11; ++y)
            for (int i = 0; i < 13 * channels; ++i) {
                const int delta = one.view().row<std::uint8_t>(y)[i] - two.view().row<std::uint8_t>(y)[i];
                const double value = double(unrounded.view().row<float>(y)[i]) * 255;
                const bool tie = std::abs(value - std::floor(value) - 0.5) < 1e-3;
                QVERIFY2(std::abs(delta) <= (tie ? 1 : 0), QByteArray::number(delta));
            }
    }
}

void SessionKernelTest::twoPassesThatCannotBeAreRefused() {
    FilterStep step;
    step.filter = parseFilter("sobel"); // two kernels
    QVERIFY_EXCEPTION_THROWN(inTwoPasses(step, 255), Error);
    step.filter = {"custom", {}, ConvolutionKernel::centred(2, 2, {1, -1, -1, 1})};
    inTwoPasses(step, 255);
    step.linear = true;
    QVERIFY_EXCEPTION_THROWN(inTwoPasses(step, 255), Error);
}

// Of rank 2: the bound that the editor states is what a picture of black and white reaches, and no picture passes.
void SessionKernelTest::theWorstOutputIsReached() {
    const ConvolutionKernel kernel = kernelOf("laplacian");
    const KernelRank rank = analyseRank(kernel);
    QVERIFY(rank.rank > 1);
    const auto [across, down] = separated(kernel);
    double above = 0, below = 0;
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u) {
            const double difference = (kernel.at(u, v) - across.at(u, 0) * down.at(0, v)) / kernel.effectiveDivisor();
            (difference > 0 ? above : below) += std::abs(difference);
        }
    QVERIFY(std::abs(rank.worstOutput - std::max(above, below)) < 1e-9);
    QVERIFY(rank.worstOutput > 0.1);
    QVERIFY(analyseRank(kernelOf("gaussian:sigma=2")).worstOutput < 1e-12);
}

void SessionKernelTest::impulsesShowTheTurn() {
    ConvolutionKernel kernel = numbered(3, 2); // 1 2 3 / 4 5 6, anchored at 1, 1
    kernel.divisor = 2.0;
    Image image(9, 9, {Depth::F32, 1});
    for (int y = 0; y < 9; ++y)
        for (int x = 0; x < 9; ++x)
            image.view().row<float>(y)[x] = x == 4 && y == 4 ? 1.0f : 0.0f;
    const EngineChoice choice = chooseEngine("auto", "auto");
    for (const bool flip : {false, true}) {
        FilterStep step;
        step.filter = {"custom", {}, kernel};
        step.flip = flip;
        const Image result = runPipeline(image, std::span(&step, 1), choice, OutputDepth::F32);
        const ImpulseResponse response = impulseResponse(kernel, flip);
        for (int y = 0; y < response.height; ++y)
            for (int x = 0; x < response.width; ++x)
                QCOMPARE(result.view().row<float>(4 + y - response.y)[4 + x - response.x],
                         float(response.values[std::size_t(y * response.width + x)]));
        QCOMPARE(response.values.front(), flip ? 0.5 : 3.0);
    }
}

void SessionKernelTest::symmetryTakesTheOtherTapsAlong() {
    const ConvolutionKernel zero = ConvolutionKernel::centred(3, 3, std::vector<double>(9, 0.0));
    const auto taps = [&](int u, int v, KernelSymmetry symmetry) {
        return withSymmetricTap(zero, u, v, 2, symmetry).taps;
    };
    using T = std::vector<double>;
    QCOMPARE(taps(0, 0, KernelSymmetry::None), (T{2, 0, 0, 0, 0, 0, 0, 0, 0}));
    QCOMPARE(taps(0, 0, KernelSymmetry::LeftRight), (T{2, 0, 2, 0, 0, 0, 0, 0, 0}));
    QCOMPARE(taps(0, 0, KernelSymmetry::TopBottom), (T{2, 0, 0, 0, 0, 0, 2, 0, 0}));
    QCOMPARE(taps(0, 0, KernelSymmetry::Both), (T{2, 0, 2, 0, 0, 0, 2, 0, 2}));
    QCOMPARE(taps(1, 0, KernelSymmetry::Both), (T{0, 2, 0, 0, 0, 0, 0, 2, 0}));
    QCOMPARE(taps(1, 0, KernelSymmetry::Round), (T{0, 2, 0, 2, 0, 2, 0, 2, 0}));
    QCOMPARE(taps(2, 0, KernelSymmetry::Point), (T{0, 0, 2, 0, 0, 0, 2, 0, 0}));
    QCOMPARE(taps(2, 0, KernelSymmetry::PointSign), (T{0, 0, 2, 0, 0, 0, -2, 0, 0}));
    QCOMPARE(taps(1, 1, KernelSymmetry::PointSign), T(9, 0.0));                    // it is its own opposite
    const ConvolutionKernel wide = ConvolutionKernel::centred(4, 1, {0, 0, 0, 0}); // even, not square
    QCOMPARE(withSymmetricTap(wide, 1, 0, 3, KernelSymmetry::Round).taps, (T{0, 3, 3, 0}));
    QVERIFY_EXCEPTION_THROWN(withSymmetricTap(zero, 3, 0, 1, KernelSymmetry::Both), Error);
}

void SessionKernelTest::tapsAsPeopleWriteThem() {
    QCOMPARE(parseTap("0.5"), std::optional(0.5));
    QCOMPARE(parseTap(" -1 "), std::optional(-1.0));
    QCOMPARE(parseTap("+2"), std::optional(2.0));
    QCOMPARE(parseTap("1/9"), std::optional(1.0 / 9));
    QCOMPARE(parseTap("-1 / 4"), std::optional(-0.25));
    QCOMPARE(parseTap("0,25"), std::optional(0.25));
    for (const char *wrong : {"", "x", "1/0", "1/", "/2", "1,2,3", "nan", "inf", "1 2", "1e999"})
        QVERIFY2(!parseTap(wrong), wrong);
}

void SessionKernelTest::spreadsheetsWithDecimalCommas() {
    const ConvolutionKernel zero = ConvolutionKernel::centred(3, 2, std::vector<double>(6, 7.0));
    QCOMPARE(withPastedTaps(zero, 0, 0, "0,5\t\t1/4\r\n-1,25\t2\t3\r\n").taps,
             (std::vector<double>{0.5, 7, 0.25, -1.25, 2, 3})); // an empty cell leaves its tap
    QCOMPARE(withPastedTaps(zero, 0, 0, "1,2,3\n4 5 6").taps, (std::vector<double>{1, 2, 3, 4, 5, 6}));
    QCOMPARE(withPastedTaps(zero, 0, 0, "1;2,5;3").at(1, 0), 2.5);
}

void SessionKernelTest::frequencyResponses() {
    // A mean of n passes nothing at k / n cycles a pixel, and its course agrees with the picture's middle row.
    const ConvolutionKernel mean = ConvolutionKernel::centred(15, 1, std::vector<double>(15, 1.0));
    const std::vector<double> course = frequencyCourse(mean, true, 720);
    QCOMPARE(int(course.size()), 721);
    for (int k = 1; k <= 7; ++k)
        QVERIFY(course[std::size_t(1440 * k / 15)] < 1e-12);
    const std::vector<float> square = frequencyResponse(mean, 64);
    for (int i = 0; i < 32; ++i)
        QVERIFY(std::abs(frequencyCourse(mean, true, 32)[std::size_t(i)] -
                         double(square[std::size_t(32 * 64 + 32 + i)])) < 1e-6);
    for (const double value : frequencyCourse(mean, false, 8))
        QVERIFY(std::abs(value - 1) < 1e-12);
    for (const char *text : {"1e400", "-1e400", "1e400/3", "1e300/1e-300", "1e-400"})
        QVERIFY2(isOutOfRange(text), text);
    for (const char *text : {"1", "one", "1e400x", "", "1/0", "1/3"})
        QVERIFY2(!isOutOfRange(text), text);
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
    // Values of 16 bits are whole, however large the sum.
    const std::pair<double, const char *> numbers[] = {
        {65535, "65535"},      {51040, "51040"},       {-13066240, "-13066240"},
        {51039.75, "51039.8"}, {142.6944, "142.7"},    {0.00012345, "0.0001234"},
        {256, "256"},          {16776960, "16776960"}, {0, "0"}};
    for (const auto &[value, text] : numbers)
        QCOMPARE(QString::fromStdString(tapNumber(value)), QString::fromLatin1(text));
    // A sum says more: else 118.49 would stand as 118.5 beside the 118 that it became.
    QCOMPARE(QString::fromStdString(tapNumber(118.4912, sumDigits)), QStringLiteral("118.491"));
    QCOMPARE(QString::fromStdString(tapNumber(0.5, sumDigits)), QStringLiteral("0.5"));
    FilterStep third;
    third.filter = {"custom", {}, ConvolutionKernel::centred(1, 1, {0.7452})};
    third.filter.kernel.divisor = 1.0;
    const TapSum fine = explainPixel(image.view(), third, 1, 0, 0);
    QVERIFY2(tapSumText(fine).ends_with("= 118.487"), tapSumText(fine).c_str());
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
