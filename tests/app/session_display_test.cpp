#include "app/session/display.h"
#include "app/session/picture_stack.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <memory>

using namespace tessera;

namespace {

template <class T> Image filled(int width, int height, PixelFormat format, const std::vector<T> &pixel) {
    Image image(width, height, format);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < format.channels; ++c)
                image.view().row<T>(y)[x * format.channels + c] = pixel[std::size_t(c)];
    return image;
}

std::uint32_t shown(const Image &image) {
    std::uint32_t word = 0;
    renderPicture(image, {0, 0, 1, 1}, &word, 1);
    return word;
}

class SessionDisplayTest : public QObject {
    Q_OBJECT

private slots:
    void everyDepthShowsItsLevels();
    void sixteenBitsRoundToTheNearestLevel();
    void alphaIsPremultiplied();
    void linearFloatsGoThroughTheCurve();
    void differencesAreScaledByTheRange();
    void halvesAreMeans();
    void alphaThatWeighsNothing();
    void transparentPixelsDoNotBleed();
    void levelsFollowTheZoom();
    void buildingCanBeCancelled();
};

void SessionDisplayTest::everyDepthShowsItsLevels() {
    QCOMPARE(shown(filled<std::uint8_t>(1, 1, {Depth::U8, 3}, {1, 128, 255})), 0xff0180ffu);
    QCOMPARE(shown(filled<std::uint8_t>(1, 1, {Depth::U8, 1}, {77})), 0xff4d4d4du);
    QCOMPARE(shown(filled<float>(1, 1, {Depth::F32, 3}, {0.0f, 0.5f, 1.0f})), 0xff0080ffu);
    QCOMPARE(shown(filled<float>(1, 1, {Depth::F32, 3}, {-3.0f, 7.0f, std::numeric_limits<float>::quiet_NaN()})),
             0xff00ff00u);
}

void SessionDisplayTest::sixteenBitsRoundToTheNearestLevel() {
    for (unsigned value = 0; value <= 65535; ++value) {
        const auto wanted = std::uint32_t(std::lround(value / 257.0));
        QCOMPARE(shown(filled<std::uint16_t>(1, 1, {Depth::U16, 1}, {std::uint16_t(value)})) & 255u, wanted);
        value += value % 7; // a spread of residues, not all of them
    }
}

void SessionDisplayTest::alphaIsPremultiplied() {
    QCOMPARE(shown(filled<std::uint8_t>(1, 1, {Depth::U8, 4}, {255, 128, 0, 128})), 0x80804000u);
    QCOMPARE(shown(filled<std::uint8_t>(1, 1, {Depth::U8, 2}, {200, 0})), 0x00000000u);
    QCOMPARE(shown(filled<float>(1, 1, {Depth::F32, 4}, {1, 1, 1, 1})), 0xffffffffu);
}

void SessionDisplayTest::linearFloatsGoThroughTheCurve() {
    Image image = filled<float>(1, 1, {Depth::F32, 4}, {0.2140f, 0.0f, 1.0f, 0.5f});
    image.metadata.sourceFormat = "exr";
    QVERIFY(holdsLinearLight(image));
    const std::uint32_t word = shown(image);
    QCOMPARE(word >> 24, 128u);                      // alpha is no light
    QCOMPARE((word >> 16 & 255u) * 255 / 128, 127u); // 0.214 of the light is the middle of sRGB, here times alpha
    image.metadata.sourceFormat = "tiff";
    QVERIFY(!holdsLinearLight(image));
}

void SessionDisplayTest::differencesAreScaledByTheRange() {
    const Image before = filled<std::uint8_t>(1, 1, {Depth::U8, 3}, {100, 100, 100});
    const Image after = filled<std::uint16_t>(1, 1, {Depth::U16, 3}, {25700, 110 * 257, 90 * 257});
    std::uint32_t word = 0;
    renderDifference(before, after, {0, 0, 1, 1}, DifferenceMode::Absolute, 1, &word, 1);
    QCOMPARE(word, 0xff000a0au);
    renderDifference(before, after, {0, 0, 1, 1}, DifferenceMode::Amplified, 4, &word, 1);
    QCOMPARE(word, 0xff002828u);
    renderDifference(before, after, {0, 0, 1, 1}, DifferenceMode::Signed, 1, &word, 1);
    QCOMPARE(word >> 16 & 255u, 128u);
    QVERIFY((word >> 8 & 255u) > 128u && (word & 255u) < 128u);
    renderDifference(before, before, {0, 0, 1, 1}, DifferenceMode::FalseColour, 64, &word, 1);
    QCOMPARE(word, 0xff000000u);
}

void SessionDisplayTest::halvesAreMeans() {
    for (const auto &[width, height] : {std::pair{4, 4}, {5, 3}, {1, 7}, {7, 1}, {1, 1}}) {
        Image image(width, height, {Depth::U8, 3});
        for (int y = 0; y < height; ++y)
            for (int i = 0; i < width * 3; ++i)
                image.view().row<std::uint8_t>(y)[i] = std::uint8_t((i * 37 + y * 91) % 256);
        const Image half = halvePicture(image.view());
        QCOMPARE(half.width(), (width + 1) / 2);
        QCOMPARE(half.height(), (height + 1) / 2);
        for (int y = 0; y < half.height(); ++y)
            for (int x = 0; x < half.width(); ++x)
                for (int c = 0; c < 3; ++c) {
                    int sum = 0;
                    for (const int dy : {0, 1})
                        for (const int dx : {0, 1})
                            sum += image.view().row<std::uint8_t>(
                                std::min(2 * y + dy, height - 1))[std::min(2 * x + dx, width - 1) * 3 + c];
                    QCOMPARE(int(half.view().row<std::uint8_t>(y)[x * 3 + c]), (sum + 2) / 4);
                }
    }
}

// Of floats alpha may be anything: where no average weighs by it, the plain one is taken.
void SessionDisplayTest::alphaThatWeighsNothing() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const auto &alphas :
         {std::array{1.0f, 0.0f, -1.0f, 0.0f}, {0.5f, -2.0f, 0.0f, 0.0f}, {1.0f, nan, 1.0f, 1.0f}}) {
        Image image(2, 2, {Depth::F32, 4});
        for (int i = 0; i < 4; ++i) {
            float *pixel = image.view().row<float>(i / 2) + 4 * (i % 2);
            pixel[0] = pixel[1] = pixel[2] = float(i);
            pixel[3] = alphas[std::size_t(i)];
        }
        const Image half = halvePicture(image.view());
        QCOMPARE(half.view().row<float>(0)[1], 1.5f);
    }
}

void SessionDisplayTest::transparentPixelsDoNotBleed() {
    Image image(2, 2, {Depth::U8, 4});
    const std::uint8_t opaqueRed[4] = {200, 0, 0, 255}, clearGreen[4] = {0, 255, 0, 0};
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 2; ++x)
            for (int c = 0; c < 4; ++c)
                image.view().row<std::uint8_t>(y)[x * 4 + c] = x == 0 ? opaqueRed[c] : clearGreen[c];
    const Image half = halvePicture(image.view());
    const std::uint8_t *pixel = half.view().row<std::uint8_t>(0);
    QCOMPARE(int(pixel[0]), 200);
    QCOMPARE(int(pixel[1]), 0);
    QCOMPARE(int(pixel[3]), 128);
}

void SessionDisplayTest::levelsFollowTheZoom() {
    auto image = std::make_shared<Image>(filled<std::uint8_t>(4000, 1000, {Depth::U8, 1}, {9}));
    const PictureStack stack = PictureStack::build(image);
    QCOMPARE(stack.levels(), 5); // 4000, 2000, 1000, 500, 250
    QCOMPARE(stack.level(4).width(), 250);
    QCOMPARE(int(stack.level(4).view().row<std::uint8_t>(3)[200]), 9);
    QCOMPARE(stack.levelForZoom(64), 0);
    QCOMPARE(stack.levelForZoom(1), 0);
    QCOMPARE(stack.levelForZoom(0.6), 0);
    QCOMPARE(stack.levelForZoom(0.5), 1);
    QCOMPARE(stack.levelForZoom(0.26), 1);
    QCOMPARE(stack.levelForZoom(0.25), 2);
    QCOMPARE(stack.levelForZoom(0.01), 4);
}

void SessionDisplayTest::buildingCanBeCancelled() {
    auto image = std::make_shared<Image>(filled<std::uint8_t>(2000, 2000, {Depth::U8, 1}, {9}));
    std::stop_source stop;
    stop.request_stop();
    RunControl control;
    control.stop = stop.get_token();
    QVERIFY_EXCEPTION_THROWN(PictureStack::build(image, control), Error);
}

} // namespace

QTEST_APPLESS_MAIN(SessionDisplayTest)
#include "session_display_test.moc"
