// ConvolutionKernel itself: sums, the automatic divisor, rotation.
#include "app/core/error.h"
#include "app/filters/kernel.h"

#include <QtTest>

#include <cmath>
#include <limits>

using namespace tessera;

class FiltersKernelTest : public QObject {
    Q_OBJECT

private slots:
    void theDefaultChangesNothing() {
        const ConvolutionKernel kernel;
        QCOMPARE(kernel.effectiveDivisor(), 1.0);
        QCOMPARE(kernel.sum(), 1.0);
        QVERIFY(!kernel.hasNegativeTaps());
    }

    void anchorsAreCentred() {
        const ConvolutionKernel odd = ConvolutionKernel::centred(3, 5, std::vector<double>(15, 1.0));
        QCOMPARE(odd.anchorX, 1);
        QCOMPARE(odd.anchorY, 2);
        const ConvolutionKernel even = ConvolutionKernel::centred(4, 2, std::vector<double>(8, 1.0));
        QCOMPARE(even.anchorX, 2);
        QCOMPARE(even.anchorY, 1);
        QCOMPARE(ConvolutionKernel::centred(255, 255, std::vector<double>(65'025, 1.0)).sum(), 65'025.0);
    }

    void impossibleKernelsAreRefused() {
        const auto make = [](int width, int height, std::vector<double> taps) {
            ConvolutionKernel::centred(width, height, std::move(taps));
        };
        QVERIFY_EXCEPTION_THROWN(make(0, 1, {}), Error);
        QVERIFY_EXCEPTION_THROWN(make(-1, -1, {1}), Error);
        QVERIFY_EXCEPTION_THROWN(make(256, 1, std::vector<double>(256, 1.0)), Error);
        QVERIFY_EXCEPTION_THROWN(make(2, 2, {1, 2, 3}), Error);
        QVERIFY_EXCEPTION_THROWN(make(1, 1, {std::nan("")}), Error);
        QVERIFY_EXCEPTION_THROWN(make(1, 1, {std::numeric_limits<double>::infinity()}), Error);
    }

    void sumsLoseNothing() {
        // 0.1 is no sum of powers of two, and a large tap would swallow the small ones added one by one.
        QCOMPARE(ConvolutionKernel::centred(10, 1, std::vector<double>(10, 0.1)).sum(), 1.0);
        QCOMPARE(ConvolutionKernel::centred(4, 1, {1e16, 1.0, 1.0, -1e16}).sum(), 2.0);
        QCOMPARE(ConvolutionKernel::centred(3, 1, {1.0, 1e100, -1e100}).sum(), 1.0);
    }

    void automaticDivisors_data() {
        QTest::addColumn<QList<double>>("taps");
        QTest::addColumn<double>("divisor");
        QTest::newRow("sum") << QList<double>{1, 2, 1} << 4.0;
        QTest::newRow("negative sum") << QList<double>{1, -4, 1} << -2.0;
        QTest::newRow("zero sum") << QList<double>{-1, 0, 1} << 1.0;
        QTest::newRow("fractions") << QList<double>{0.25, 0.5, 0.5} << 1.25;
        QTest::newRow("all zero") << QList<double>{0, 0, 0} << 1.0;
        // 1/3 in float32 three times: 1 + 3e-8 left over is rounding, not a sum.
        QTest::newRow("zero sum in float32")
            << QList<double>{double(1.0f / 3.0f), double(1.0f / 3.0f), double(1.0f / 3.0f), -1.0} << 1.0;
        QTest::newRow("zero sum in float64") << QList<double>{0.1, 0.2, -0.3} << 1.0;
        // Whole numbers add up exactly, so however small their sum is, it is meant.
        QTest::newRow("large whole numbers") << QList<double>{100'000'000, -99'999'999} << 1.0;
        QTest::newRow("large whole numbers, sum 2") << QList<double>{1'000'000'000, -999'999'998} << 2.0;
        QTest::newRow("small, but a sum") << QList<double>{1.5, -1.4999} << 1.5 - 1.4999;
    }
    void automaticDivisors() {
        QFETCH(QList<double>, taps);
        QFETCH(double, divisor);
        ConvolutionKernel kernel =
            ConvolutionKernel::centred(int(taps.size()), 1, std::vector<double>(taps.begin(), taps.end()));
        QVERIFY(std::abs(kernel.effectiveDivisor() - divisor) < 1e-15);
        kernel.divisor = 3.0;
        QCOMPARE(kernel.effectiveDivisor(), 3.0);
    }

    void normalizingSetsTheSum() {
        QCOMPARE(ConvolutionKernel::centred(3, 1, {1, 2, 1}).normalized().divisor.value(), 4.0);
        ConvolutionKernel edge = ConvolutionKernel::centred(3, 1, {-1, 0, 1});
        QVERIFY(!edge.normalized().divisor.has_value());
        edge.divisor = 2.0;
        QCOMPARE(edge.normalized().divisor.value(), 2.0);
    }

    // Correlation with the rotated kernel is convolution with the kernel: sum of taps(u) * picture(x - (u - anchor)).
    void rotationMakesConvolution() {
        ConvolutionKernel kernel = ConvolutionKernel::centred(4, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
        kernel.anchorX = 1;
        kernel.anchorY = 0;
        const ConvolutionKernel rotated = kernel.rotated180();
        QCOMPARE(rotated.anchorX, 2);
        QCOMPARE(rotated.anchorY, 2);
        const auto picture = [](int x, int y) { return 100.0 * x * x + 3.0 * y * y * y + x * y; };
        double convolution = 0.0, correlation = 0.0;
        for (int v = 0; v < 3; ++v) {
            for (int u = 0; u < 4; ++u) {
                convolution += kernel.at(u, v) * picture(7 - (u - kernel.anchorX), 9 - (v - kernel.anchorY));
                correlation += rotated.at(u, v) * picture(7 + u - rotated.anchorX, 9 + v - rotated.anchorY);
            }
        }
        QCOMPARE(correlation, convolution);
        QCOMPARE(rotated.rotated180(), kernel);
    }

    void negativeTapsAreSeen() {
        QVERIFY(ConvolutionKernel::centred(2, 1, {1, -1e-300}).hasNegativeTaps());
        QVERIFY(!ConvolutionKernel::centred(2, 1, {1, -0.0}).hasNegativeTaps());
    }
};

QTEST_APPLESS_MAIN(FiltersKernelTest)
#include "filters_kernel_test.moc"
