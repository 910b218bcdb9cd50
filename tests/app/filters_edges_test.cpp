// Edge filters: signs, orientation, zero sums, and answers to pictures whose derivatives are known.
#include "tests/app/filters_support.h"

#include <QtTest>

#include <array>
#include <cmath>
#include <set>

using namespace tessera;
using namespace tessera::test;

namespace {

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

const Picture brighterToTheRight = [](int x, int) { return x >= 0 ? 200.0 : 100.0; };
const Picture brighterDownwards = [](int, int y) { return y >= 0 ? 200.0 : 100.0; };

} // namespace

class FiltersEdgesTest : public QObject {
    Q_OBJECT

private slots:
    void flatPicturesAnswerWithZero() {
        for (const FilterDescription &filter : allFilters()) {
            if (filter.group != "Edges")
                continue;
            for (const ConvolutionKernel &kernel : buildFilter(parseFilter(filter.name)).kernels)
                QVERIFY2(near(correlate(
                                  kernel, [](int, int) { return 65'535.0; }, 0, 0),
                              0.0, 1e-9),
                         filter.name.c_str());
        }
        for (const char *name : {"log:sigma=0.5", "log:sigma=7.5", "dog:sigma1=10,sigma2=0.1", "dog:sigma1=3,sigma2=3"})
            QVERIFY2(near(kernelOf(name).sum(), 0.0, 1e-16), name);
        QCOMPARE(kernelOf("outline").sum(), 0.0);
    }

    void gradientsPointToTheBrightSide() {
        const std::vector<std::pair<std::string, double>> operators{{"sobel", 4.0}, {"scharr", 16.0}, {"prewitt", 3.0}};
        for (const auto &[name, weight] : operators) {
            const ConvolutionKernel x = kernelOf((name + "-x").c_str()), y = kernelOf((name + "-y").c_str());
            QCOMPARE(correlate(x, brighterToTheRight, 0, 0), 100.0 * weight);
            QCOMPARE(correlate(x, brighterToTheRight, -1, 0), 100.0 * weight);
            QCOMPARE(correlate(x, brighterToTheRight, 1, 0), 0.0);
            QCOMPARE(correlate(x, brighterDownwards, 0, 0), 0.0);
            QCOMPARE(correlate(y, brighterDownwards, 0, 0), 100.0 * weight);
            QCOMPARE(correlate(y, brighterToTheRight, 0, 0), 0.0);
            const ConvolutionKernel normalized = kernelOf((name + "-x:normalized=yes").c_str());
            QCOMPARE(correlate(normalized, brighterToTheRight, 0, 0), 100.0);
        }
        QCOMPARE(kernelOf("sobel-x").taps, (std::vector<double>{-1, 0, 1, -2, 0, 2, -1, 0, 1}));
        QCOMPARE(kernelOf("sobel-y").taps, (std::vector<double>{-1, -2, -1, 0, 0, 0, 1, 2, 1}));
        QCOMPARE(kernelOf("scharr-x").taps, (std::vector<double>{-3, 0, 3, -10, 0, 10, -3, 0, 3}));
        QCOMPARE(kernelOf("prewitt-y").taps, (std::vector<double>{-1, -1, -1, 0, 0, 0, 1, 1, 1}));
    }

    void magnitudesAreMadeOfBothDirections() {
        for (const std::string name : {"sobel", "scharr", "prewitt"}) {
            const FilterProgram program = buildFilter(parseFilter(name));
            QVERIFY(program.combine == Combine::Magnitude);
            QCOMPARE(program.kernels.size(), std::size_t(2));
            QCOMPARE(program.kernels[0], kernelOf((name + "-x").c_str()));
            QCOMPARE(program.kernels[1], kernelOf((name + "-y").c_str()));
        }
    }

    // Scharr's weights are chosen for this: the gradient's direction in smooth pictures.
    void scharrKeepsDirectionsBetterThanSobel() {
        const auto error = [](const std::string &name) {
            double worst = 0.0;
            for (double angle = 0.0; angle < 1.57; angle += 0.1) {
                const Picture wave = [&](int x, int y) {
                    return std::sin(0.6 * (x * std::cos(angle) + y * std::sin(angle)));
                };
                const double gx = correlate(kernelOf((name + "-x").c_str()), wave, 0, 0);
                const double gy = correlate(kernelOf((name + "-y").c_str()), wave, 0, 0);
                worst = std::max(worst, std::abs(std::atan2(gy, gx) - angle));
            }
            return worst;
        };
        QVERIFY(3.0 * error("scharr") < error("sobel"));
        QVERIFY(error("sobel") < 0.05);
    }

    void laplaciansAnswerToCurvature() {
        QCOMPARE(kernelOf("laplacian").taps, (std::vector<double>{0, 1, 0, 1, -4, 1, 0, 1, 0}));
        QCOMPARE(kernelOf("laplacian:neighbours=8").taps, (std::vector<double>{1, 1, 1, 1, -8, 1, 1, 1, 1}));
        // The laplacian of a x^2 + b y^2 is 2a + 2b; with the diagonals three times that.
        const Picture bowl = [](int x, int y) { return 3.0 * x * x + 2.0 * y * y + 5.0 * x * y - 7.0 * x + 11.0; };
        QCOMPARE(correlate(kernelOf("laplacian"), bowl, 4, -3), 10.0);
        QCOMPARE(correlate(kernelOf("laplacian:neighbours=8"), bowl, 4, -3), 30.0);
        QCOMPARE(kernelOf("outline").taps, (std::vector<double>{-1, -1, -1, -1, 8, -1, -1, -1, -1}));
    }

    // A gaussian blur keeps the curvature of a parabola, so LoG must find the laplacian itself; and it has no slope.
    void logAnswersToCurvature() {
        const Picture bowl = [](int x, int y) { return 0.5 * x * x + 0.25 * y * y + 3.0 * x; };
        for (double sigma : {1.0, 1.4, 2.5, 5.0, 7.5}) {
            const std::string name = "log:sigma=" + std::to_string(sigma);
            QVERIFY2(near(correlate(kernelOf((name + ",normalized=no").c_str()), bowl, 2, 3), 1.5, 0.015),
                     name.c_str());
            QVERIFY2(near(correlate(kernelOf(name.c_str()), bowl, 2, 3), 1.5 * sigma * sigma, 0.015 * sigma * sigma),
                     name.c_str());
            QVERIFY2(near(correlate(
                              kernelOf(name.c_str()), [](int x, int y) { return 2.0 * x - y; }, 0, 0),
                          0.0, 1e-9),
                     name.c_str());
        }
        const ConvolutionKernel kernel = kernelOf("log:sigma=1.4");
        QCOMPARE(kernel.width, 13); // ceil(4 * 1.4) = 6
        QVERIFY(kernel.at(6, 6) < 0.0);
        QVERIFY(asymmetryLeftRight(kernel) == 0.0 && asymmetryUpDown(kernel) == 0.0 &&
                asymmetryDiagonal(kernel) == 0.0);
    }

    // Differences of scipy.ndimage.gaussian_filter's impulse responses, sigma 1 less sigma 1.6, radius 5: the row and
    // the diagonal from the centre.
    void dogAgreesWithSciPy() {
        const std::array<double, 6> row{0.0969256352459667,   0.04534391980341986,  -0.00695137461002159,
                                        -0.00896162695088929, -0.00268077452744978, -0.00047083606498325};
        const std::array<double, 6> diagonal{9.6925635245966701e-02,  1.6443374942331647e-02,  -1.0128947489256137e-02,
                                             -1.8303873424315583e-03, -1.2011291838663329e-04, -3.5713931971635587e-06};
        const ConvolutionKernel kernel = kernelOf("dog");
        QCOMPARE(kernel.width, 11);
        for (int i = 0; i < 6; ++i) {
            QVERIFY(near(kernel.at(5 + i, 5), row[std::size_t(i)], 1e-15));
            QVERIFY(near(kernel.at(5 + i, 5 + i), diagonal[std::size_t(i)], 1e-15));
        }
    }

    void kirschTurnsThroughEightDirections() {
        const FilterProgram program = buildFilter(parseFilter("kirsch"));
        QVERIFY(program.combine == Combine::Maximum);
        QCOMPARE(program.kernels.size(), std::size_t(8));
        QCOMPARE(program.kernels[0].taps, (std::vector<double>{5, 5, 5, -3, 0, -3, -3, -3, -3}));
        std::set<std::vector<double>> different;
        // A slope that rises towards a direction answers most to the kernel of that name; y grows downwards.
        const std::array<std::pair<int, int>, 8> towards{
            {{0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}}};
        for (std::size_t direction = 0; direction < 8; ++direction) {
            different.insert(program.kernels[direction].taps);
            const auto [dx, dy] = towards[direction];
            const Picture slope = [dx = dx, dy = dy](int x, int y) { return double(x * dx + y * dy); };
            std::size_t strongest = 0;
            for (std::size_t other = 0; other < 8; ++other)
                if (correlate(program.kernels[other], slope, 0, 0) > correlate(program.kernels[strongest], slope, 0, 0))
                    strongest = other;
            QCOMPARE(strongest, direction);
        }
        QCOMPARE(different.size(), std::size_t(8));
        const ConvolutionKernel east = buildFilter(parseFilter("kirsch:normalized=yes")).kernels[2];
        QCOMPARE(correlate(east, brighterToTheRight, -1, 0), 100.0);
    }
};

QTEST_APPLESS_MAIN(FiltersEdgesTest)
#include "filters_edges_test.moc"
