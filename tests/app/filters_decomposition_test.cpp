// Kernels as sums of separable parts, and one kernel as two passes.
#include "app/filters/decomposition.h"
#include "tests/app/filters_support.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace tessera;
using namespace tessera::test;

namespace {

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

const Picture picture = [](int x, int y) {
    return 100.0 + 40.0 * std::sin(0.7 * x + 0.1 * y * y) + (x * 3 + y * 5) % 7;
};

// The second pass over the first one's values.
double correlateTwice(const TwoPasses &passes, int x, int y) {
    const Picture between = [&](int bx, int by) { return correlate(passes.horizontal, picture, bx, by); };
    return correlate(passes.vertical, between, x, y);
}

} // namespace

class FiltersDecompositionTest : public QObject {
    Q_OBJECT

private slots:
    void ranksOfTheFilters_data() {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<int>("rank");
        for (const char *name :
             {"box", "box:width=4,height=7", "gaussian", "gaussian:sigma=15.5", "binomial", "binomial:size=63", "tent",
              "motion-blur", "sobel-x", "sobel-y", "scharr-x", "prewitt-y", "identity", "shift"})
            QTest::newRow(name) << name << 1;
        // Sums of two products: second derivatives across and down, two gaussians, an impulse and a blur.
        for (const char *name :
             {"laplacian", "laplacian:neighbours=8", "log", "dog", "sharpen", "unsharp", "high-boost", "outline"})
            QTest::newRow(name) << name << 2;
        QTest::newRow("emboss") << "emboss" << 3;
        QTest::newRow("a diagonal") << "motion-blur:length=9,angle=45" << 7;
    }
    void ranksOfTheFilters() {
        QFETCH(QString, filter);
        QFETCH(int, rank);
        const ConvolutionKernel kernel = kernelOf(qPrintable(filter));
        const KernelDecomposition decomposition = decomposeKernel(kernel);
        QCOMPARE(decomposition.rank, rank);
        QCOMPARE(decomposition.terms.size(), std::size_t(rank));
        QCOMPARE(separateKernel(kernel).has_value(), rank == 1);
        QVERIFY(partsError(kernel, decomposition) < 1e-13);
    }

    void twoPassesAreTheKernel() {
        for (const char *name :
             {"box:width=4,height=7", "gaussian:sigma=2.2", "binomial:width=6,height=3", "tent:size=9",
              "motion-blur:length=7,angle=90", "sobel-x", "sobel-y", "scharr-y", "identity", "shift:dx=5,dy=-3"}) {
            ConvolutionKernel kernel = kernelOf(name);
            checkPasses(kernel, name);
            kernel.offset = 12.5;
            kernel.divisor = 3.0;
            kernel.anchorX = 0;
            kernel.anchorY = kernel.height - 1;
            checkPasses(kernel, name);
            kernel.divisor.reset();
            checkPasses(kernel, name);
        }
    }

    void wholeNumbersStayWhole() {
        const TwoPasses binomial = *separateKernel(kernelOf("binomial:size=3"));
        QCOMPARE(binomial.horizontal.taps, (std::vector<double>{1, 2, 1}));
        QCOMPARE(binomial.vertical.taps, (std::vector<double>{1, 2, 1}));
        QCOMPARE(binomial.horizontal.divisor.value(), 4.0);
        QCOMPARE(binomial.vertical.divisor.value(), 4.0);
        const TwoPasses x = *separateKernel(kernelOf("sobel-x")), y = *separateKernel(kernelOf("sobel-y"));
        QCOMPARE(x.horizontal.taps, (std::vector<double>{-1, 0, 1}));
        QCOMPARE(x.vertical.taps, (std::vector<double>{1, 2, 1}));
        QCOMPARE(y.horizontal.taps, (std::vector<double>{1, 2, 1}));
        QCOMPARE(y.vertical.taps, (std::vector<double>{-1, 0, 1}));
        QCOMPARE(x.horizontal.divisor.value() * x.vertical.divisor.value(), 1.0);
        // 49 * (1 / 49) is not 1 in doubles.
        const TwoPasses odd = *separateKernel(ConvolutionKernel::centred(2, 2, {49, 98, 147, 294}));
        QCOMPARE(odd.horizontal.taps, (std::vector<double>{1, 2}));
        QCOMPARE(odd.vertical.taps, (std::vector<double>{49, 147}));
    }

    // Each pass alone keeps brightness, so that what lies between them fits the picture's range.
    void smoothingPassesKeepBrightness() {
        for (const char *name : {"box", "gaussian", "binomial:size=40", "tent"}) {
            const TwoPasses passes = *separateKernel(kernelOf(name));
            QVERIFY2(near(passes.horizontal.sum() / passes.horizontal.effectiveDivisor(), 1.0, 1e-12), name);
            QVERIFY2(near(passes.vertical.sum() / passes.vertical.effectiveDivisor(), 1.0, 1e-12), name);
            QVERIFY2(!passes.horizontal.hasNegativeTaps() && !passes.vertical.hasNegativeTaps(), name);
        }
    }

    // The best approximations of lower rank leave exactly the norm that is promised.
    void leftOutNormsAreTrue() {
        const ConvolutionKernel kernel = kernelOf("disk:radius=6.3");
        const KernelDecomposition decomposition = decomposeKernel(kernel);
        double all = 0.0;
        for (double tap : kernel.taps)
            all += tap * tap;
        for (int count = 0; count <= decomposition.rank; ++count) {
            double left = 0.0;
            for (int v = 0; v < kernel.height; ++v) {
                for (int u = 0; u < kernel.width; ++u) {
                    double rest = kernel.at(u, v);
                    for (int k = 0; k < count; ++k)
                        rest -= decomposition.terms[std::size_t(k)].column[std::size_t(v)] *
                                decomposition.terms[std::size_t(k)].row[std::size_t(u)];
                    left += rest * rest;
                }
            }
            QVERIFY(near(decomposition.relativeError(count), std::sqrt(left / all), 1e-7));
        }
        QCOMPARE(decomposition.relativeError(0), 1.0);
        QCOMPARE(decomposition.relativeError(1000), 0.0);
        QVERIFY(decomposition.relativeError(1) > decomposition.relativeError(2));
    }

    void costsTellWhatIsCheaper() {
        const ConvolutionKernel large = kernelOf("gaussian:sigma=10"), small = kernelOf("emboss");
        QCOMPARE(decomposeKernel(large).directCost(large), 61L * 61L);
        QCOMPARE(decomposeKernel(large).separableCost(large), 122L);
        QVERIFY(decomposeKernel(small).separableCost(small) > decomposeKernel(small).directCost(small));
    }

    void toleranceDecides() {
        ConvolutionKernel kernel = kernelOf("gaussian:sigma=2");
        kernel.at(0, 0) += 1e-5;
        QVERIFY(!separateKernel(kernel));
        QVERIFY(separateKernel(kernel, 1e-3));
    }

    void zerosAreNoTwoPasses() {
        const ConvolutionKernel zeros = ConvolutionKernel::centred(3, 2, std::vector<double>(6, 0.0));
        QCOMPARE(decomposeKernel(zeros).rank, 0);
        QCOMPARE(decomposeKernel(zeros).relativeError(0), 0.0);
        QVERIFY(!separateKernel(zeros));
    }

private:
    static double partsError(const ConvolutionKernel &kernel, const KernelDecomposition &decomposition) {
        double worst = 0.0;
        for (int v = 0; v < kernel.height; ++v) {
            for (int u = 0; u < kernel.width; ++u) {
                double sum = 0.0;
                for (const SeparableTerm &term : decomposition.terms)
                    sum += term.column[std::size_t(v)] * term.row[std::size_t(u)];
                worst = std::max(worst, std::abs(sum - kernel.at(u, v)));
            }
        }
        return worst / decomposition.singularValues.front();
    }

    static void checkPasses(const ConvolutionKernel &kernel, const char *name) {
        const std::optional<TwoPasses> passes = separateKernel(kernel);
        QVERIFY2(passes, name);
        QCOMPARE(passes->horizontal.height, 1);
        QCOMPARE(passes->vertical.width, 1);
        for (int x = 0; x < 5; ++x)
            QVERIFY2(near(correlateTwice(*passes, x, 7), correlate(kernel, picture, x, 7), 1e-10), name);
    }
};

QTEST_APPLESS_MAIN(FiltersDecompositionTest)
#include "filters_decomposition_test.moc"
