// Differences between pictures against values of NumPy and scikit-image.
#include "app/core/error.h"
#include "app/stats/comparison.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <limits>

using namespace tessera;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

bool near(double a, double b, double tolerance) { return std::abs(a - b) <= tolerance; }

template <class T>
Image made(int width, int height, PixelFormat format, const std::function<double(int, int, int)> &value) {
    Image image(width, height, format);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < format.channels; ++c)
                image.view().row<T>(y)[x * format.channels + c] = static_cast<T>(value(x, y, c));
    return image;
}

// The two pictures of the reference values: a pattern, and the same with -5..5 added and clipped.
int pattern(int x, int y) { return (x * 7 + y * 13 + (x * y) % 31) % 256; }
int disturbed(int x, int y) { return std::clamp(pattern(x, y) + (x * 5 + y * 3) % 11 - 5, 0, 255); }
int turned(int value, int shift, int size) { return ((value - shift) % size + size) % size; } // numpy.roll

Image floats(const std::vector<float> &values) {
    return made<float>(int(values.size()), 1, {Depth::F32, 1},
                       [&](int x, int, int) { return double(values[std::size_t(x)]); });
}

} // namespace

class ComparisonTest : public QObject {
    Q_OBJECT

private slots:
    void equalPicturesAreEqual() {
        const Image image =
            made<std::uint8_t>(50, 40, {Depth::U8, 3}, [](int x, int y, int c) { return pattern(x + c, y); });
        const ImageComparison result = compareImages(image, image.clone());
        QCOMPARE(result.maximumError, 0.0);
        QCOMPARE(result.rms, 0.0);
        QCOMPARE(result.psnr, infinity);
        QVERIFY(near(result.ssim, 1.0, 1e-12));
        QCOMPARE(result.relativeL2, 0.0);
        QCOMPARE(result.differingPixels, std::uint64_t(0));
        QCOMPARE(result.differingShare, 0.0);
    }

    // skimage.metrics.structural_similarity(gaussian_weights=True, sigma=1.5, use_sample_covariance=False,
    // data_range=255), peak_signal_noise_ratio, and numpy.linalg.norm.
    void agreesWithScikitImageOnGrey() {
        const Image a = made<std::uint8_t>(50, 40, {Depth::U8, 1}, [](int x, int y, int) { return pattern(x, y); });
        const Image b = made<std::uint8_t>(50, 40, {Depth::U8, 1}, [](int x, int y, int) { return disturbed(x, y); });
        const ImageComparison result = compareImages(a, b);
        QVERIFY(near(result.ssim, 0.9947101888309142, 1e-12));
        QVERIFY(near(result.psnr, 38.1834539530212, 1e-10));
        QVERIFY(near(result.rms, 3.143167192498675, 1e-12));
        QVERIFY(near(result.relativeL2, 0.021320089782496564, 1e-14));
        QCOMPARE(result.differingPixels, std::uint64_t(1809));
        QCOMPARE(result.differingShare, 1809.0 / 2000.0);
        QCOMPARE(result.maximumError, 5.0);
        QCOMPARE(result.x, 2); // of several, the first in reading order
        QCOMPARE(result.y, 0);
    }

    // The same on 0.2126 R + 0.7152 G + 0.0722 B in float64, green the same in both pictures.
    void agreesWithScikitImageOnLuminance() {
        const auto colour = [](bool second) {
            return made<std::uint8_t>(50, 40, {Depth::U8, 3}, [second](int x, int y, int c) {
                if (c == 1)
                    return pattern(turned(x, 3, 50), y);
                const int from = c == 2 ? turned(y, 5, 40) : y;
                return second ? disturbed(x, from) : pattern(x, from);
            });
        };
        QVERIFY(near(compareImages(colour(false), colour(true)).ssim, 0.9997543746011858, 1e-12));
    }

    void theLargestErrorIsFoundInEveryChannel() {
        for (int channel = 0; channel < 4; ++channel) {
            const Image a =
                made<std::uint16_t>(500, 301, {Depth::U16, 4}, [](int x, int y, int c) { return 100 * c + x + y; });
            Image b = a.clone();
            b.view().row<std::uint16_t>(300)[4 * 499 + channel] += 77;
            b.view().row<std::uint16_t>(3)[4 * 5] += 76;
            const ImageComparison result = compareImages(a, b);
            QCOMPARE(result.maximumError, 77.0);
            QCOMPARE(result.x, 499);
            QCOMPARE(result.y, 300);
            QCOMPARE(result.channel, channel);
            QCOMPARE(result.differingPixels, std::uint64_t(2));
            const double squares = 77.0 * 77.0 + 76.0 * 76.0;
            QVERIFY(near(result.rms, std::sqrt(squares / (500.0 * 301.0 * 4.0)), 1e-12));
        }
    }

    // A picture equals its own conversion to a deeper type.
    void depthsAreBroughtTogether() {
        const auto eight =
            made<std::uint8_t>(50, 40, {Depth::U8, 3}, [](int x, int y, int c) { return pattern(x + c, y); });
        const auto sixteen =
            made<std::uint16_t>(50, 40, {Depth::U16, 3}, [](int x, int y, int c) { return 257 * pattern(x + c, y); });
        const auto real =
            made<float>(50, 40, {Depth::F32, 3}, [](int x, int y, int c) { return pattern(x + c, y) / 255.0; });
        for (const auto &[a, b] : std::vector<std::pair<const Image *, const Image *>>{
                 {&eight, &sixteen}, {&sixteen, &eight}, {&eight, &real}, {&real, &eight}, {&sixteen, &real}}) {
            const ImageComparison result = compareImages(*a, *b);
            QCOMPARE(result.differingPixels, std::uint64_t(0));
            QCOMPARE(result.maximumError, 0.0);
            QVERIFY(near(result.ssim, 1.0, 1e-6));
        }
        Image off = sixteen.clone();
        off.view().row<std::uint16_t>(1)[7] -= 3;
        QCOMPARE(compareImages(eight, off).maximumError, 3.0); // in the deeper one's units
    }

    void valuesThatAreNoNumbers() {
        const float big = std::numeric_limits<float>::infinity();
        const ImageComparison same =
            compareImages(floats({notANumber, big, -big, 0.5f}), floats({notANumber, big, -big, 0.5f}));
        QCOMPARE(same.maximumError, 0.0);
        QCOMPARE(same.differingPixels, std::uint64_t(0));
        QCOMPARE(same.relativeL2, 0.0);
        QVERIFY(near(same.ssim, 1.0, 1e-12));
        for (const auto &[a, b] : std::vector<std::pair<float, float>>{
                 {notANumber, 0.5f}, {0.5f, notANumber}, {big, -big}, {big, 0.5f}, {notANumber, big}}) {
            const ImageComparison result = compareImages(floats({0.1f, 0.2f, a}), floats({0.2f, 0.2f, b}));
            QCOMPARE(result.maximumError, infinity);
            QCOMPARE(result.x, 2);
            QCOMPARE(result.rms, infinity);
            QCOMPARE(result.psnr, -infinity);
            QCOMPARE(result.relativeL2, infinity);
            QCOMPARE(result.differingPixels, std::uint64_t(2));
            QVERIFY(result.ssim < 0.9);
        }
    }

    void relativeErrorsAgainstZero() {
        QCOMPARE(compareImages(floats({0.0f, 0.0f}), floats({0.0f, 0.0f})).relativeL2, 0.0);
        QCOMPARE(compareImages(floats({1.0f, 0.0f}), floats({0.0f, 0.0f})).relativeL2, infinity);
        QCOMPARE(compareImages(floats({0.0f, 0.0f}), floats({3.0f, 4.0f})).relativeL2, 1.0);
    }

    // Smaller than a window: still a number that tells like from unlike.
    void smallPicturesHaveASimilarity() {
        for (const auto &[width, height] :
             std::vector<std::pair<int, int>>{{1, 1}, {1, 40}, {40, 1}, {2, 2}, {10, 11}, {11, 10}, {12, 12}}) {
            const Image a =
                made<std::uint8_t>(width, height, {Depth::U8, 1}, [](int x, int y, int) { return pattern(x, y); });
            const Image b = made<std::uint8_t>(width, height, {Depth::U8, 1},
                                               [](int x, int y, int) { return 255 - pattern(x, y); });
            QVERIFY(near(compareImages(a, a).ssim, 1.0, 1e-12));
            QVERIFY(compareImages(a, b).ssim < 0.5);
        }
    }

    void picturesThatDoNotFitAreRefused() {
        const auto grey = [](int width, int height, int channels) {
            return made<std::uint8_t>(width, height, {Depth::U8, channels}, [](int, int, int) { return 0; });
        };
        for (const auto &[width, height, channels] : std::vector<std::array<int, 3>>{{5, 4, 1}, {4, 5, 1}, {4, 4, 3}}) {
            try {
                compareImages(grey(4, 4, 1), grey(width, height, channels));
                QFAIL("was compared");
            } catch (const Error &error) {
                QVERIFY(error.kind() == ErrorKind::Input);
                const std::string said = error.what();
                QVERIFY(said.find("4x4 with 1 channel ") != std::string::npos);
                QVERIFY(said.find(std::to_string(width) + "x" + std::to_string(height)) != std::string::npos);
            }
        }
        QVERIFY_EXCEPTION_THROWN(compareImages(Image(), Image()), Error);
    }
};

QTEST_APPLESS_MAIN(ComparisonTest)
#include "comparison_test.moc"
