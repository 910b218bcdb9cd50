// The planner's table of speeds: what it says between, before and behind what was measured.
#include "gpu/launch/fourier.h"
#include "gpu/launch/speed_table.h"

#include <QTest>

using namespace tessera;

namespace {

const SpeedKey tiled{KernelVariant::Tiled, ScalarType::F32, 1, 0};

SpeedTable smallTable() {
    return {"a device", {{tiled, 225, 0.08}, {tiled, 9, 0.01}, {tiled, 25, 0.02}}}; // in no order
}

} // namespace

class SpeedTableTest : public QObject {
    Q_OBJECT

private slots:
    void predictsByWork_data();
    void predictsByWork();
    void takesFromWhatWasMeasured();
    void knowsNothingOfOtherVariants();
    void mergesInPlace();
    void countsWholeTilesOfFft();
    void builtInTableHoldsEveryUsableVariant();
};

void SpeedTableTest::predictsByWork_data() {
    QTest::addColumn<double>("work");
    QTest::addColumn<double>("expected");
    QTest::newRow("before the first") << 1.0 << 0.01;
    QTest::newRow("the first") << 9.0 << 0.01;
    QTest::newRow("between") << 17.0 << 0.015;
    QTest::newRow("a point") << 25.0 << 0.02;
    QTest::newRow("between the others") << 125.0 << 0.05;
    QTest::newRow("the last") << 225.0 << 0.08;
    QTest::newRow("behind the last") << 450.0 << 0.16;
}

void SpeedTableTest::predictsByWork() {
    QFETCH(double, work);
    QFETCH(double, expected);
    const auto predicted = smallTable().predict(tiled, work);
    QVERIFY(predicted.has_value());
    QVERIFY2(std::abs(*predicted - expected) < 1e-12, qPrintable(QString::number(*predicted)));
}

void SpeedTableTest::takesFromWhatWasMeasured() {
    const SpeedTable table = smallTable();
    QCOMPARE(*table.predict({KernelVariant::Tiled, ScalarType::F32, 4, 0}, 9), 0.04);
    QCOMPARE(*table.predict({KernelVariant::Tiled, ScalarType::U16, 1, 0}, 9), 0.01);
    QCOMPARE(*table.predict({KernelVariant::Tiled, ScalarType::U8, 4, 0}, 9), 0.04);
    SpeedTable more = table;
    more.merge(std::vector<SpeedPoint>{{{KernelVariant::Tiled, ScalarType::U8, 1, 0}, 9, 0.005}});
    QCOMPARE(*more.predict({KernelVariant::Tiled, ScalarType::U8, 4, 0}, 9), 0.02); // its own type before float
}

void SpeedTableTest::knowsNothingOfOtherVariants() {
    QVERIFY(!smallTable().predict({KernelVariant::Naive, ScalarType::F32, 1, 0}, 9));
    QVERIFY(!smallTable().predict({KernelVariant::Tiled, ScalarType::F32, 1, 2}, 9)); // other terms
}

void SpeedTableTest::mergesInPlace() {
    SpeedTable table = smallTable();
    const std::vector<SpeedPoint> measured{{tiled, 25, 0.5}, {tiled, 49, 0.6}};
    table.merge(measured);
    QCOMPARE(table.points.size(), std::size_t(4));
    QCOMPARE(*table.predict(tiled, 25), 0.5);
    QCOMPARE(*table.predict(tiled, 49), 0.6);
    QCOMPARE(*table.predict(tiled, 9), 0.01);
}

void SpeedTableTest::countsWholeTilesOfFft() {
    const ConvolutionShape small{10, 10, 31, 31};
    const double tile = 2.0 * fourierSide * fourierSide / 1e6;
    QCOMPARE(megapixelsOf(KernelVariant::Fft, small), tile);
    QCOMPARE(megapixelsOf(KernelVariant::Tiled, small), 1e-4);
    ConvolutionShape colour = small;
    colour.channels = 4;
    QCOMPARE(megapixelsOf(KernelVariant::Fft, colour), 2 * tile);
    const ConvolutionShape large{8192, 8192, 31, 31};
    QCOMPARE(megapixelsOf(KernelVariant::Fft, large), 45 * tile); // 9 tiles across, 5 down
}

void SpeedTableTest::builtInTableHoldsEveryUsableVariant() {
    const SpeedTable &table = builtInSpeeds();
    QVERIFY(!table.device.empty());
    for (const KernelVariant variant :
         {KernelVariant::Naive, KernelVariant::NaiveFloat4, KernelVariant::Tiled, KernelVariant::TiledFloat4,
          KernelVariant::Blocked, KernelVariant::Tensor, KernelVariant::Fft})
        for (const ScalarType type : {ScalarType::U8, ScalarType::U16, ScalarType::F32})
            QVERIFY2(table.predict({variant, type, 1, 0}, workOf(variant, 5, 5)),
                     std::string(kernelVariantName(variant)).c_str());
    for (int terms = 1; terms <= 4; ++terms)
        QVERIFY(table.predict({KernelVariant::Separable, ScalarType::U8, 4, terms}, 5));
    for (const SpeedPoint &point : table.points)
        QVERIFY(point.millisecondsPerMegapixel > 0);
}

QTEST_GUILESS_MAIN(SpeedTableTest)
#include "speed_table_test.moc"
