// Chains that are limited to a part of the picture.
#include "app/session/chain_run.h"
#include "app/session/display.h"
#include "app/session/preview.h"

#include <QRect>
#include <QTest>

using namespace tessera;

namespace {

Image pattern(int width, int height, PixelFormat format) {
    Image image(width, height, format);
    for (int y = 0; y < height; ++y)
        for (int i = 0; i < width * format.channels; ++i) {
            const unsigned value = unsigned(i * 37 + y * 101) % 251;
            if (format.depth == Depth::U8)
                image.view().row<std::uint8_t>(y)[i] = std::uint8_t(value);
            else if (format.depth == Depth::U16)
                image.view().row<std::uint16_t>(y)[i] = std::uint16_t(value * 257);
            else
                image.view().row<float>(y)[i] = float(value) / 255;
        }
    return image;
}

class SessionAreaTest : public QObject {
    Q_OBJECT

private slots:
    void insideIsFilteredOutsideStays_data();
    void insideIsFilteredOutsideStays();
    void partsAreThoseOfTheWhole();
    void depthsAreConvertedOutsideToo();
    void previewsShrinkTheArea();
};

void SessionAreaTest::insideIsFilteredOutsideStays_data() {
    QTest::addColumn<int>("depth");
    QTest::addColumn<int>("channels");
    QTest::addColumn<QRect>("area");
    QTest::newRow("inside") << int(Depth::U8) << 3 << QRect(5, 4, 20, 11);
    QTest::newRow("one pixel, 16 bit") << int(Depth::U16) << 1 << QRect(40, 28, 1, 1);
    QTest::newRow("over the edge, float") << int(Depth::F32) << 4 << QRect(-10, -7, 30, 20);
    QTest::newRow("all of it") << int(Depth::U8) << 2 << QRect(0, 0, 41, 29);
    QTest::newRow("outside") << int(Depth::U8) << 3 << QRect(41, 0, 10, 10);
    QTest::newRow("beyond what an int can hold") << int(Depth::U8) << 3 << QRect(20, 20, 2147483647 - 20, 2147483627);
}

void SessionAreaTest::insideIsFilteredOutsideStays() {
    QFETCH(int, depth);
    QFETCH(int, channels);
    QFETCH(QRect, area);
    const Image source = pattern(41, 29, {Depth(depth), channels});
    Chain chain;
    chain.steps.resize(1);
    chain.steps[0].filter = parseFilter("gaussian:sigma=2");
    const EngineChoice cpu = chooseEngine("cpu", "cpu");
    const Image whole = filterPicture(source, chain, cpu);
    chain.area = Rectangle{area.x(), area.y(), area.width(), area.height()};
    const Image result = filterPicture(source, chain, cpu);
    for (int y = 0; y < 29; ++y)
        for (int x = 0; x < 41; ++x) {
            const bool inside =
                x >= area.x() && y >= area.y() && x - area.x() < area.width() && y - area.y() < area.height();
            const PixelValues wanted = pixelAt((inside ? whole : source).view(), x, y),
                              got = pixelAt(result.view(), x, y);
            for (int c = 0; c < channels; ++c)
                QCOMPARE(got.value[c], wanted.value[c]);
        }
}

void SessionAreaTest::partsAreThoseOfTheWhole() {
    const Image source = pattern(60, 50, {Depth::U8, 3});
    Chain chain;
    chain.steps.resize(2);
    chain.steps[0].filter = parseFilter("sharpen");
    chain.steps[1].filter = parseFilter("box:width=5,height=3");
    chain.area = Rectangle{10, 12, 30, 20};
    const EngineChoice cpu = chooseEngine("cpu", "cpu");
    const Image whole = filterPicture(source, chain, cpu);
    for (const Rectangle part :
         {Rectangle{0, 0, 15, 15}, Rectangle{20, 20, 5, 5}, Rectangle{35, 25, 25, 25}, Rectangle{45, 40, 10, 10}}) {
        const Image cut = filterRegion(source, part, chain, cpu);
        for (int y = 0; y < part.height; ++y)
            for (int x = 0; x < part.width; ++x)
                QCOMPARE(pixelAt(cut.view(), x, y).value[1], pixelAt(whole.view(), part.x + x, part.y + y).value[1]);
    }
}

void SessionAreaTest::depthsAreConvertedOutsideToo() {
    const Image source = pattern(20, 20, {Depth::U8, 1});
    Chain chain;
    chain.depth = OutputDepth::U16;
    chain.steps.resize(1);
    chain.steps[0].filter = parseFilter("identity");
    chain.area = Rectangle{5, 5, 5, 5};
    const Image result = filterPicture(source, chain, chooseEngine("cpu", "cpu"));
    QVERIFY(result.format().depth == Depth::U16);
    for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 20; ++x)
            QCOMPARE(pixelAt(result.view(), x, y).value[0], pixelAt(source.view(), x, y).value[0] * 257);
}

void SessionAreaTest::previewsShrinkTheArea() {
    Chain chain;
    chain.steps.resize(1);
    chain.steps[0].filter = parseFilter("gaussian:sigma=4");
    chain.area = Rectangle{9, 16, 30, 8};
    const auto preview = previewChain(chain, 2);
    QVERIFY(preview && preview->area);
    QVERIFY((*preview->area == Rectangle{2, 4, 8, 2})); // every coarse pixel that holds some of it
}

} // namespace

QTEST_GUILESS_MAIN(SessionAreaTest)
#include "session_area_test.moc"
