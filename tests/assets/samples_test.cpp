// The sample pictures as the build made them: their shapes, and that they hold what they are there to show.
#include "app/image/image_io.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace tessera;

namespace {
std::filesystem::path sample(const char *name) { return std::filesystem::path(TESSERA_SAMPLES_DIR) / name; }
} // namespace

class SamplesTest : public QObject {
    Q_OBJECT

private slots:
    void haveTheirShapes_data();
    void haveTheirShapes();
    void chartsAgreeInBothDepths();
    void chartHidesColourUnderFullTransparency();
    void zonePlateIsPointSymmetric();
    void photographUsesTheWholeRange();
    void floatSceneReachesBeyondWhite();
    void countingCounts();
};

void SamplesTest::haveTheirShapes_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("width");
    QTest::addColumn<int>("height");
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("depth");
    QTest::newRow("chart") << "chart.png" << 1280 << 960 << 4 << int(Depth::U8);
    QTest::newRow("chart in 16 bit") << "chart-16bit.png" << 1280 << 960 << 4 << int(Depth::U16);
    QTest::newRow("photograph") << "lake.jpg" << 1600 << 1000 << 3 << int(Depth::U8);
    QTest::newRow("float scene") << "lake-hdr.pfm" << 800 << 500 << 3 << int(Depth::F32);
    QTest::newRow("worked example") << "counting-4x4.pgm" << 4 << 4 << 1 << int(Depth::U8);
}

void SamplesTest::haveTheirShapes() {
    QFETCH(QString, name);
    QFETCH(int, width);
    QFETCH(int, height);
    QFETCH(int, channels);
    QFETCH(int, depth);
    const Image picture = loadImage(sample(name.toUtf8().constData()));
    QCOMPARE(picture.width(), width);
    QCOMPARE(picture.height(), height);
    QCOMPARE(picture.format().channels, channels);
    QCOMPARE(int(picture.format().depth), depth);
}

void SamplesTest::chartsAgreeInBothDepths() {
    const Image coarse = loadImage(sample("chart.png")), fine = loadImage(sample("chart-16bit.png"));
    int apart = 0;
    bool finerThanEightBit = false;
    for (int y = 0; y < fine.height(); ++y)
        for (int x = 0; x < fine.width() * 4; ++x) {
            const double levels = fine.view().row<std::uint16_t>(y)[x] / 257.0;
            apart += std::abs(levels - coarse.view().row<std::uint8_t>(y)[x]) > 0.502;
            finerThanEightBit |= std::abs(levels - std::round(levels)) > 0.2;
        }
    QCOMPARE(apart, 0);
    QVERIFY(finerThanEightBit);
}

void SamplesTest::chartHidesColourUnderFullTransparency() {
    const Image chart = loadImage(sample("chart.png"));
    int hiddenRed = 0;
    for (int y = 0; y < chart.height(); ++y)
        for (int x = 0; x < chart.width(); ++x) {
            const std::uint8_t *pixel = chart.view().row<std::uint8_t>(y) + 4 * x;
            hiddenRed += pixel[3] == 0 && pixel[0] == 255 && pixel[1] == 0 && pixel[2] == 0;
        }
    QVERIFY2(hiddenRed > 1000, qPrintable(QString::number(hiddenRed)));
}

// The panel stands at (332, 70), 300 x 266. A transposed or shifted row would break the symmetry.
void SamplesTest::zonePlateIsPointSymmetric() {
    const Image chart = loadImage(sample("chart.png"));
    const ConstPixelView panel = chart.view().part({332, 70, 300, 266});
    for (int y = 0; y < panel.height; ++y)
        for (int x = 0; x < panel.width; ++x) {
            const int here = panel.row<std::uint8_t>(y)[4 * x];
            const int opposite = panel.row<std::uint8_t>(panel.height - 1 - y)[4 * (panel.width - 1 - x)];
            QVERIFY2(std::abs(here - opposite) <= 1, qPrintable(QString("%1, %2").arg(x).arg(y)));
        }
}

void SamplesTest::photographUsesTheWholeRange() {
    const Image photograph = loadImage(sample("lake.jpg"));
    int darkest = 255, brightest = 0;
    for (int y = 0; y < photograph.height(); ++y) {
        const std::uint8_t *row = photograph.view().row<std::uint8_t>(y);
        const auto [low, high] = std::minmax_element(row, row + 3 * photograph.width());
        darkest = std::min<int>(darkest, *low);
        brightest = std::max<int>(brightest, *high);
    }
    QVERIFY(darkest < 16);
    QCOMPARE(brightest, 255);
}

void SamplesTest::floatSceneReachesBeyondWhite() {
    const Image scene = loadImage(sample("lake-hdr.pfm"));
    float brightest = 0;
    for (int y = 0; y < scene.height(); ++y)
        for (int x = 0; x < 3 * scene.width(); ++x) {
            const float value = scene.view().row<float>(y)[x];
            QVERIFY(std::isfinite(value) && value >= 0);
            brightest = std::max(brightest, value);
        }
    QVERIFY2(brightest > 100, qPrintable(QString::number(brightest)));
}

void SamplesTest::countingCounts() {
    const Image counting = loadImage(sample("counting-4x4.pgm"));
    for (int index = 0; index < 16; ++index)
        QCOMPARE(int(counting.view().row<std::uint8_t>(index / 4)[index % 4]), index + 1);
}

QTEST_GUILESS_MAIN(SamplesTest)
#include "samples_test.moc"
