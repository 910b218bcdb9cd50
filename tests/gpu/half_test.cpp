#include "gpu/image/half.h"

#include <QtTest>

#include <cmath>

using namespace tessera;

class HalfTest : public QObject {
    Q_OBJECT

private slots:
    void everyHalfSurvivesTheWayThroughFloat() {
        for (unsigned bits = 0; bits < 65536; ++bits) {
            const float value = floatFromHalfBits(std::uint16_t(bits));
            if (std::isnan(value))
                continue;
            QCOMPARE(unsigned(halfBitsFromFloat(value)), bits);
        }
    }

    // Nearest by brute force: of the two neighbours, the closer one; at a tie the one with the even last bit.
    void roundsToNearestEven() {
        for (unsigned bits = 0; bits < 0x7bff; ++bits) {
            const float low = floatFromHalfBits(std::uint16_t(bits));
            const float high = floatFromHalfBits(std::uint16_t(bits + 1));
            const float middle = (low + high) / 2;
            QCOMPARE(unsigned(halfBitsFromFloat(middle)), bits % 2 == 0 ? bits : bits + 1);
            QCOMPARE(unsigned(halfBitsFromFloat(std::nextafter(middle, low))), bits);
            QCOMPARE(unsigned(halfBitsFromFloat(std::nextafter(middle, high))), bits + 1);
            QCOMPARE(unsigned(halfBitsFromFloat(-middle)), 0x8000u | (bits % 2 == 0 ? bits : bits + 1));
        }
    }

    void endsOfTheRange() {
        QCOMPARE(halfBitsFromFloat(65504.0f), std::uint16_t(0x7bff));
        QCOMPARE(halfBitsFromFloat(65519.99f), std::uint16_t(0x7bff));
        QCOMPARE(halfBitsFromFloat(65520.0f), std::uint16_t(0x7c00));
        QCOMPARE(halfBitsFromFloat(-1e30f), std::uint16_t(0xfc00));
        QVERIFY(std::isnan(floatFromHalfBits(halfBitsFromFloat(std::nanf("")))));
        QCOMPARE(sizeof(Half), std::size_t(2));
    }
};

QTEST_APPLESS_MAIN(HalfTest)
#include "half_test.moc"
