// Colours under next to no alpha, by methods whose rounding reaches beyond the kernel: Fourier transforms, sums of
// several passes. What is divided by alpha has to be as exact as sums of each pixel's own terms.
#include "app/commands/batch/verification.h"
#include "tests/app/pipeline_test_support.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace tessera;
using namespace tessera::test;

namespace {

// Of one colour all over; a soft spot of alpha in the middle, and none from a quarter of the side on.
Image spot(Depth depth, double colour) {
    constexpr int side = 160;
    Image image(side, side, {depth, 4});
    const double maximum = nominalMaximum(depth);
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            const double share = std::clamp((side / 4 - std::hypot(x - side / 2, y - side / 2)) / 30.0, 0.0, 1.0);
            const double alpha = share * share * share;
            for (int c = 0; c < 4; ++c) {
                const double value = (c == 3 ? alpha : colour) * maximum;
                setValue(image, x, y, c, depth == Depth::F32 ? value : std::round(value));
            }
        }
    }
    return image;
}

// Mostly transparent, here and there some alpha, most of it thin.
Image sprinkled(Depth depth, std::mt19937_64 &random) {
    Image image = randomPicture(150, 130, {depth, 4}, random);
    std::uniform_real_distribution<double> real(0.0, 1.0);
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const double alpha = real(random) < 0.99 ? 0.0 : std::pow(real(random), 8) * nominalMaximum(depth);
            setValue(image, x, y, 3, depth == Depth::F32 ? alpha : std::round(alpha));
        }
    }
    return image;
}

FilterStep randomTaps(int width, int height, std::mt19937_64 &random) {
    std::uniform_real_distribution<double> tap(0.0, 1.0);
    std::vector<double> taps(std::size_t(width * height));
    double sum = 0;
    for (double &value : taps)
        sum += value = tap(random);
    return customStep(width, height, std::move(taps), sum);
}

// Two boxes at opposite corners: two passes, which cancel where the kernel's taps are 0.
FilterStep twoTerms() {
    constexpr int side = 15;
    std::vector<double> taps(side * side, 0.0);
    for (int v = 0; v < 7; ++v)
        for (int u = 0; u < 7; ++u)
            taps[std::size_t(v * side + u)] = taps[std::size_t((side - 1 - v) * side + side - 1 - u)] = 0.3 + u * v;
    return customStep(side, side, std::move(taps), 2 * (49 * 0.3 + 21 * 21));
}

double largestDifference(const Image &a, const Image &b) {
    double largest = 0;
    for (int y = 0; y < a.height(); ++y)
        for (int x = 0; x < a.width(); ++x)
            for (int c = 0; c < a.format().channels; ++c)
                largest = std::max(largest, std::fabs(valueAt(a, x, y, c) - valueAt(b, x, y, c)));
    return largest;
}

// Of this machine: fft where it has a CUDA device.
std::vector<std::string> spreadingVariants() {
    std::vector<std::string> variants;
    for (const auto &engine : availableEngines()) {
        const std::string name = engine->deviceKind() == DeviceKind::Cuda ? "fft" : std::string(engine->name());
        if (name != "sim" && std::ranges::find(variants, name) == variants.end())
            variants.push_back(name);
    }
    return variants;
}

EngineChoice engineOf(const std::string &variant) { return chooseEngine(variant, variant == "fft" ? "cuda" : "cpu"); }

} // namespace

class ThinAlphaTest : public QObject {
    Q_OBJECT

private slots:
    void flatColoursStayFlat_data();
    void flatColoursStayFlat();
    void quotientsAreExact_data();
    void quotientsAreExact();
    void partsAreTheWhole();
    void bordersOutside();
    void overshootsKeepTheirColour();
};

namespace {

void addVariantsAndDepths() {
    QTest::addColumn<QString>("variant");
    QTest::addColumn<int>("depth");
    for (const std::string &variant : spreadingVariants())
        for (const Depth depth : {Depth::U8, Depth::U16, Depth::F32})
            QTest::addRow("%s, depth %d", variant.c_str(), int(depth)) << QString::fromStdString(variant) << int(depth);
}

} // namespace

void ThinAlphaTest::flatColoursStayFlat_data() { addVariantsAndDepths(); }

void ThinAlphaTest::flatColoursStayFlat() {
    QFETCH(QString, variant);
    QFETCH(int, depth);
    const Image source = spot(Depth(depth), 0.5);
    const double colour = valueAt(source, 0, 0, 0);
    const double close = Depth(depth) == Depth::F32 ? 1e-5 : 1.0;
    for (const char *text : {"disk:radius=12", "disk:radius=7"}) {
        const Image result =
            runPipeline(source, std::vector{namedStep(text)}, engineOf(variant.toStdString()), OutputDepth::Keep);
        int transparent = 0;
        for (int y = 0; y < result.height(); ++y) {
            for (int x = 0; x < result.width(); ++x) {
                // Without any alpha in its reach a pixel has no colour; else it is that of all.
                const double value = valueAt(result, x, y, 1), alpha = valueAt(result, x, y, 3);
                transparent += alpha == 0.0;
                if (!((alpha == 0.0 && value == 0.0) || std::fabs(value - colour) <= close))
                    QFAIL(qPrintable(QString("%1 at %2, %3 under an alpha of %4").arg(value).arg(x).arg(y).arg(alpha)));
            }
        }
        QVERIFY(transparent > 1000);
    }
}

void ThinAlphaTest::quotientsAreExact_data() { addVariantsAndDepths(); }

void ThinAlphaTest::quotientsAreExact() {
    QFETCH(QString, variant);
    QFETCH(int, depth);
    std::mt19937_64 random(11);
    const double close = Depth(depth) == Depth::F32 ? 2e-5 : 1.0;
    FilterStep wide = randomTaps(27, 25, random);
    wide.filter.kernel.anchorX = 0;
    FilterStep linear = namedStep("disk:radius=9");
    linear.linear = true;
    const Image source = sprinkled(Depth(depth), random);
    for (const FilterStep &step : {wide, linear, twoTerms()}) {
        const std::vector steps{step};
        const Image expected = runPipeline(source, steps, referenceEngine(), OutputDepth::Keep);
        PipelineTimes times;
        const Image result = runPipeline(source, steps, engineOf(variant.toStdString()), OutputDepth::Keep, {}, &times);
        QVERIFY2(times.plan.find("thin") != std::string::npos, times.plan.c_str());
        const double largest = largestDifference(result, expected);
        QVERIFY2(largest <= close, qPrintable(QString("off by %1").arg(largest)));
    }
}

// Which pixels are done again must not depend on where a part of the picture begins.
void ThinAlphaTest::partsAreTheWhole() {
    std::mt19937_64 random(12);
    const Image source = sprinkled(Depth::U16, random);
    const std::vector steps{namedStep("disk:radius=12")};
    const EngineChoice cpu = chooseEngine("auto", "cpu");
    const Image whole = runPipeline(source, steps, cpu, OutputDepth::F32);
    for (const Rectangle &part : {Rectangle{0, 0, 40, 130}, Rectangle{37, 11, 90, 70}, Rectangle{149, 129, 1, 1}}) {
        const Image result = runPipelineRegion(source, part, steps, cpu, OutputDepth::F32);
        for (int y = 0; y < part.height; ++y)
            QCOMPARE(std::memcmp(result.view().row<float>(y), whole.view().row<float>(part.y + y) + 4 * part.x,
                                 std::size_t(part.width) * 4 * sizeof(float)),
                     0);
    }
}

// A sharpened alpha is more than opaque beside a soft edge; one colour stays that colour all the same.
void ThinAlphaTest::overshootsKeepTheirColour() {
    const Image source = spot(Depth::U16, 0.3);
    std::vector steps{namedStep("sharpen:amount=3")};
    steps.front().alpha = AlphaMode::Premultiplied;
    const Image result = runPipeline(source, steps, chooseEngine("auto", "cpu"), OutputDepth::Keep);
    int opaque = 0;
    for (int y = 0; y < result.height(); ++y)
        for (int x = 0; x < result.width(); ++x) {
            opaque += valueAt(result, x, y, 3) == 65535.0 && valueAt(source, x, y, 3) < 65535.0;
            if (valueAt(result, x, y, 3) > 655)
                QVERIFY(std::fabs(valueAt(result, x, y, 0) - valueAt(source, 0, 0, 0)) <= 2.0);
        }
    QVERIFY(opaque > 10);
}

// A constant border is opaque: pixels beside it have alpha though the picture has none.
void ThinAlphaTest::bordersOutside() {
    const Image source = picture(150, 150, {Depth::U16, 4}, std::vector<double>(150 * 150 * 4, 0.0));
    std::vector steps{namedStep("disk:radius=12")};
    for (const BorderMode mode : {BorderMode::Constant, BorderMode::Zero, BorderMode::Wrap}) {
        steps.front().border = {mode, 30000.0};
        const Image expected = runPipeline(source, steps, referenceEngine(), OutputDepth::Keep);
        const Image result = runPipeline(source, steps, chooseEngine("auto", "cpu"), OutputDepth::Keep);
        QVERIFY(largestDifference(result, expected) <= 1.0);
        QCOMPARE(valueAt(result, 0, 75, 0), mode == BorderMode::Constant ? 30000.0 : 0.0);
        QCOMPARE(valueAt(result, 75, 75, 0), 0.0);
    }
}

QTEST_GUILESS_MAIN(ThinAlphaTest)
#include "thin_alpha_test.moc"
