// Smoothing, sharpening, effects and utilities against formulas, tables and second implementations.
#include "app/core/error.h"
#include "tests/app/filters_support.h"

#include <QtTest>

#include <array>
#include <cmath>
#include <numbers>

using namespace tessera;
using namespace tessera::test;

namespace {

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

const std::vector<const char *> smoothing{"box",
                                          "box:size=4",
                                          "gaussian",
                                          "gaussian:sigma=0.1",
                                          "gaussian:sigma=15.5",
                                          "binomial",
                                          "binomial:size=63",
                                          "binomial:width=2,height=7",
                                          "motion-blur",
                                          "motion-blur:length=20.5,angle=33",
                                          "disk",
                                          "disk:radius=0.5",
                                          "disk:radius=31.5",
                                          "tent",
                                          "tent:width=6,height=3"};

} // namespace

class FiltersKernelsTest : public QObject {
    Q_OBJECT

private slots:
    void smoothingKeepsBrightness() {
        for (const char *name : smoothing) {
            const ConvolutionKernel kernel = kernelOf(name);
            QVERIFY2(near(kernel.sum() / kernel.effectiveDivisor(), 1.0, 1e-15), name);
            QVERIFY2(!kernel.hasNegativeTaps(), name);
        }
    }

    void sharpeningAndEffectsKeepBrightness() {
        for (const char *name : {"sharpen", "sharpen:amount=0.3", "unsharp", "unsharp:sigma=10,amount=10", "high-boost",
                                 "high-boost:amount=0.7", "emboss", "emboss:angle=77,depth=3", "identity", "shift"}) {
            const ConvolutionKernel kernel = kernelOf(name);
            QVERIFY2(near(kernel.sum() / kernel.effectiveDivisor(), 1.0, 1e-14), name);
        }
    }

    void smoothingMovesNothing() {
        for (const char *name : smoothing) {
            const ConvolutionKernel kernel = kernelOf(name);
            const Moments moments = momentsOf(kernel);
            // Even sizes reach one pixel further to the left and up, so their centre lies half a pixel there.
            QVERIFY2(near(moments.x, kernel.width % 2 == 0 ? -0.5 : 0.0, 1e-12), name);
            QVERIFY2(near(moments.y, kernel.height % 2 == 0 ? -0.5 : 0.0, 1e-12), name);
        }
    }

    void symmetricOnesAreSymmetricToTheLastBit() {
        for (const char *name : {"box", "gaussian", "gaussian:sigma=7.3", "binomial:size=63", "disk:radius=7.7",
                                 "tent:size=6", "sharpen:amount=0.3", "unsharp", "high-boost:amount=1.7"}) {
            const ConvolutionKernel kernel = kernelOf(name);
            QVERIFY2(asymmetryLeftRight(kernel) == 0.0 && asymmetryUpDown(kernel) == 0.0, name);
            QVERIFY2(asymmetryDiagonal(kernel) == 0.0, name);
        }
    }

    void boxIsOnes() {
        const ConvolutionKernel kernel = kernelOf("box:width=4,height=3");
        QCOMPARE(kernel.width, 4);
        QCOMPARE(kernel.height, 3);
        QCOMPARE(kernel.anchorX, 2);
        QCOMPARE(kernel.anchorY, 1);
        QCOMPARE(kernel.taps, std::vector<double>(12, 1.0));
        QCOMPARE(kernel.divisor.value(), 12.0);
    }

    // Impulse response of scipy.ndimage.gaussian_filter with its radius set to 3 and 8, lower right quadrant.
    void gaussianAgreesWithSciPy() {
        const std::array<std::array<double, 4>, 4> quadrant{
            {{1.5924112569070245e-01, 9.6584625018564130e-02, 2.1550942848268258e-02, 1.7690091140438213e-03},
             {9.6584625018564130e-02, 5.8581536330607011e-02, 1.3071307583189404e-02, 1.0729582649786600e-03},
             {2.1550942848268258e-02, 1.3071307583189404e-02, 2.9166029543864374e-03, 2.3940934949726983e-04},
             {1.7690091140438213e-03, 1.0729582649786600e-03, 2.3940934949726983e-04, 1.9651916124031896e-05}}};
        const ConvolutionKernel one = kernelOf("gaussian:sigma=1");
        QCOMPARE(one.width, 7);
        for (int v = 0; v < 4; ++v)
            for (int u = 0; u < 4; ++u)
                QVERIFY(near(one.at(3 + u, 3 + v), quadrant[std::size_t(v)][std::size_t(u)], 1e-16));

        const std::array<double, 9> row{0.02549640644196352, 0.02353614956069405, 0.01851419098667126,
                                        0.0124104333544981,  0.00708895201838097, 0.00345056338733893,
                                        0.0014312347287423,  0.00050587661585597, 0.00015236710863755};
        const ConvolutionKernel wide = kernelOf("gaussian:sigma=2.5");
        QCOMPARE(wide.width, 17);
        for (int u = 0; u < 9; ++u)
            QVERIFY(near(wide.at(8 + u, 8), row[std::size_t(u)], 1e-16));
    }

    void gaussianReachesThreeSigma() {
        const std::vector<std::pair<const char *, int>> table{{"gaussian:sigma=0.1", 3},   {"gaussian:sigma=0.5", 5},
                                                              {"gaussian:sigma=1.1", 9},   {"gaussian:sigma=1.5", 11},
                                                              {"gaussian:sigma=2", 13},    {"gaussian:sigma=10.3", 63},
                                                              {"gaussian:sigma=10.5", 63}, {"gaussian:sigma=15.5", 63}};
        for (const auto &[name, side] : table) {
            QCOMPARE(kernelOf(name).width, side);
            QCOMPARE(kernelOf(name).height, side);
        }
    }

    void binomialIsPascalsTriangle() {
        const ConvolutionKernel five = kernelOf("binomial");
        QCOMPARE(five.taps, (std::vector<double>{1,  4, 6, 4,  1,  4,  16, 24, 16, 4, 6, 24, 36,
                                                 24, 6, 4, 16, 24, 16, 4,  1,  4,  6, 4, 1}));
        QCOMPARE(five.divisor.value(), 256.0);
        const ConvolutionKernel even = kernelOf("binomial:width=4,height=1");
        QCOMPARE(even.taps, (std::vector<double>{1, 3, 3, 1}));
        // Variance of n - 1 fair coins, at every size: the large ones are scaled, not approximated.
        for (int size : {2, 9, 10, 40, 63}) {
            const Moments moments = momentsOf(kernelOf(("binomial:size=" + std::to_string(size)).c_str()));
            QVERIFY(near(moments.xx, (size - 1) / 4.0, 1e-12));
            QVERIFY(near(moments.yy, (size - 1) / 4.0, 1e-12));
            QVERIFY(near(moments.xy, 0.0, 1e-12));
        }
        // 30 choose 15 over 2^30 in both directions, as exact as a double is.
        const double middle = 155'117'520.0 / 1'073'741'824.0;
        QCOMPARE(kernelOf("binomial:size=31").at(15, 15), middle * middle);
    }

    void tentIsTwoBoxes() {
        QCOMPARE(kernelOf("tent:width=5,height=1").taps, (std::vector<double>{1, 2, 3, 2, 1}));
        QCOMPARE(kernelOf("tent:width=6,height=1").taps, (std::vector<double>{1, 2, 3, 3, 2, 1}));
        QCOMPARE(kernelOf("tent:width=1,height=4").taps, (std::vector<double>{1, 2, 2, 1}));
        // Two boxes of b have the variance 2 (b^2 - 1) / 12.
        QVERIFY(near(momentsOf(kernelOf("tent:size=63")).xx, (32.0 * 32.0 - 1.0) / 6.0, 1e-11));
    }

    void motionAlongTheAxesIsARow() {
        const ConvolutionKernel across = kernelOf("motion-blur:length=7,angle=0");
        QCOMPARE(across.width, 7);
        QCOMPARE(across.height, 1);
        for (double tap : across.taps)
            QVERIFY(near(tap, 1.0 / 7.0, 1e-16));
        for (const char *name : {"motion-blur:length=7,angle=90", "motion-blur:length=7,angle=270"}) {
            const ConvolutionKernel down = kernelOf(name);
            QCOMPARE(down.width, 1);
            QCOMPARE(down.height, 7);
        }
        // Half a pixel more at each end.
        QVERIFY(near(kernelOf("motion-blur:length=4").taps.front() * 4.0, 0.5, 1e-15));
        QCOMPARE(kernelOf("motion-blur:length=1").taps, std::vector<double>{1.0});
        QCOMPARE(kernelOf("motion-blur:length=63").width, 63);
    }

    void motionFollowsItsAngle() {
        for (double angle : {10.0, 30.0, 45.0, 60.0, 100.0, 135.0, 170.0}) {
            const std::string name = "motion-blur:length=41,angle=" + std::to_string(angle);
            const Moments moments = momentsOf(kernelOf(name.c_str()));
            // The long axis of the taps; y grows downwards, so counter-clockwise is against it.
            const double axis = 0.5 * std::atan2(-2.0 * moments.xy, moments.xx - moments.yy) * 180.0 / std::numbers::pi;
            QVERIFY2(near(std::remainder(axis - angle, 180.0), 0.0, 0.2), name.c_str());
            // A line of length L has the variance L^2 / 12 along itself, and hardly any across.
            const double along = moments.xx + moments.yy;
            QVERIFY2(near(along, 41.0 * 41.0 / 12.0, 3.0), name.c_str());
        }
        // Half a turn is the same line.
        const ConvolutionKernel one = kernelOf("motion-blur:angle=30"), other = kernelOf("motion-blur:angle=210");
        QCOMPARE(one.taps.size(), other.taps.size());
        for (std::size_t i = 0; i < one.taps.size(); ++i)
            QVERIFY(near(one.taps[i], other.taps[i], 1e-14));
    }

    // Coverage counted on a fine grid of points instead of integrated.
    void diskIsAreaCoverage() {
        for (double radius : {0.5, 0.8, 1.0, 1.5, 3.0, 3.3}) {
            const ConvolutionKernel kernel = kernelOf(("disk:radius=" + std::to_string(radius)).c_str());
            const int reach = kernel.width / 2;
            const double area = std::numbers::pi * radius * radius;
            for (int y = -reach; y <= reach; ++y)
                for (int x = -reach; x <= reach; ++x)
                    QVERIFY(near(kernel.at(x + reach, y + reach) * area, sampledCover(x, y, radius), 2e-3));
        }
        QCOMPARE(kernelOf("disk:radius=0.5").taps, std::vector<double>{1.0});
        QCOMPARE(kernelOf("disk:radius=31.5").width, 63);
        QCOMPARE(kernelOf("disk:radius=2").width, 5);
        QVERIFY(near(kernelOf("disk:radius=10").at(10, 10), 1.0 / (100.0 * std::numbers::pi), 1e-15));
    }

    void sharpeningIsWhatItSays() {
        QCOMPARE(kernelOf("sharpen").taps, (std::vector<double>{0, -1, 0, -1, 5, -1, 0, -1, 0}));
        QCOMPARE(kernelOf("sharpen").divisor.value(), 1.0);
        QCOMPARE(kernelOf("high-boost:amount=1").taps, (std::vector<double>{-1, -1, -1, -1, 17, -1, -1, -1, -1}));
        QCOMPARE(kernelOf("high-boost:amount=1").divisor.value(), 9.0);
        // picture + amount * (picture - blurred), step by step on a made-up picture.
        const Picture picture = [](int x, int y) {
            return 100.0 + 30.0 * std::sin(0.9 * x) + 20.0 * std::cos(1.7 * y + x);
        };
        const ConvolutionKernel blur = kernelOf("gaussian:sigma=1.3"),
                                unsharp = kernelOf("unsharp:sigma=1.3,amount=0.8");
        for (int x = 0; x < 20; ++x) {
            const double expected = picture(x, 5) + 0.8 * (picture(x, 5) - correlate(blur, picture, x, 5));
            QVERIFY(near(correlate(unsharp, picture, x, 5), expected, 1e-11));
        }
        for (const char *name : {"sharpen:amount=0", "unsharp:amount=0", "high-boost:amount=0", "emboss:depth=0"})
            QVERIFY2(near(correlate(kernelOf(name), picture, 3, 4), picture(3, 4), 1e-12), name);
    }

    void embossIsLitFromItsAngle() {
        QCOMPARE(kernelOf("emboss").taps, (std::vector<double>{-2, -1, 0, -1, 1, 1, 0, 1, 2}));
        QCOMPARE(kernelOf("emboss:angle=0").taps, (std::vector<double>{1, 0, -1, 1, 1, -1, 1, 0, -1}));
        // A raised square, light from above: its upper edge is brighter than its lower one.
        const Picture square = [](int x, int y) { return x >= 0 && x < 9 && y >= 0 && y < 9 ? 100.0 : 50.0; };
        const ConvolutionKernel above = kernelOf("emboss:angle=90");
        QVERIFY(correlate(above, square, 4, 0) > 100.0);
        QVERIFY(correlate(above, square, 4, 8) < 100.0);
        QVERIFY(near(correlate(above, square, 0, 4), 100.0, 1e-12));
    }

    void shiftMovesThePicture() {
        const Picture picture = [](int x, int y) { return 1000.0 * x + y; };
        for (const auto &[dx, dy] :
             std::vector<std::pair<int, int>>{{8, 8}, {5, -3}, {-4, 2}, {-62, -62}, {62, 62}, {0, 0}}) {
            const ConvolutionKernel kernel =
                kernelOf(("shift:dx=" + std::to_string(dx) + ",dy=" + std::to_string(dy)).c_str());
            QCOMPARE(correlate(kernel, picture, 100, 100), picture(100 - dx, 100 - dy));
            QCOMPARE(kernel.width, std::abs(dx) + 1); // no larger than needed
            const Moments moments = momentsOf(kernel);
            QCOMPARE(moments.x, double(-dx));
            QCOMPARE(moments.y, double(-dy));
        }
    }

    void identityAndCustom() {
        QCOMPARE(kernelOf("identity").taps, std::vector<double>{1.0});
        FilterInstance custom = parseFilter("custom");
        custom.kernel = ConvolutionKernel::centred(2, 2, {1, 2, 3, 4}, "mine");
        custom.kernel.anchorX = 0;
        QCOMPARE(buildFilter(custom).kernels.front(), custom.kernel);
        custom.kernel.anchorX = 2;
        QVERIFY_EXCEPTION_THROWN(buildFilter(custom), Error);
        custom.kernel.anchorX = 0;
        custom.kernel.divisor = 0.0;
        QVERIFY_EXCEPTION_THROWN(buildFilter(custom), Error);
        custom.kernel.divisor = 1.0;
        custom.kernel.taps.pop_back();
        QVERIFY_EXCEPTION_THROWN(buildFilter(custom), Error);
    }

private:
    static double sampledCover(int x, int y, double radius) {
        constexpr int grid = 400;
        int inside = 0;
        for (int j = 0; j < grid; ++j)
            for (int i = 0; i < grid; ++i)
                inside += std::hypot(x - 0.5 + (i + 0.5) / grid, y - 0.5 + (j + 0.5) / grid) <= radius;
        return double(inside) / (grid * grid);
    }
};

QTEST_APPLESS_MAIN(FiltersKernelsTest)
#include "filters_kernels_test.moc"
