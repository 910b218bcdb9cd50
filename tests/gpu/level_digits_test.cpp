#include "gpu/launch/level_digits.h"
#include "gpu/launch/plan_boxes.h"

#include <QtTest>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace tessera;

namespace {

// What the digits stand for.
std::vector<double> valuesOf(const LevelDigits &digits, int side) {
    const auto *bytes = reinterpret_cast<const signed char *>(digits.taps);
    std::vector<double> values;
    for (int v = 0; v < side; ++v)
        for (int u = 0; u < side; ++u) {
            double value = 0;
            for (int d = 0; d < levelDigits; ++d)
                value += double(digits.finish.scale[d]) * bytes[(d * side + v) * 4 * levelTapWords + u];
            values.push_back(value);
        }
    return values;
}

// As the kernel does it, in float, of one window.
float finishedSum(const LevelDigits &digits, const std::vector<int> &window, int side) {
    const auto *bytes = reinterpret_cast<const signed char *>(digits.taps);
    const LevelFinish &finish = digits.finish;
    float value = finish.base;
    for (int d = 0; d < levelDigits; ++d) {
        int sum = 0;
        for (int i = 0; i < side * side; ++i)
            sum += bytes[(d * side + i / side) * 4 * levelTapWords + i % side] * window[std::size_t(i)];
        value = std::fmaf(float(0xc00000 + sum), finish.scale[d], value);
    }
    float quotient = value * finish.reciprocal;
    return std::fmaf(std::fmaf(-quotient, finish.divisor, value), finish.reciprocal, quotient) + finish.offset;
}

} // namespace

class LevelDigitsTest : public QObject {
    Q_OBJECT

private slots:
    void digitsStandForTheTaps() {
        for (const int side : {3, 5, 7})
            for (int round = 0; round < 200; ++round) {
                std::vector<float> taps(std::size_t(side * side));
                double largest = 0, gain = 0;
                for (float &tap : taps) {
                    tap = std::ldexp(std::uniform_real_distribution<float>(-1, 1)(generator_), round % 40 - 20);
                    largest = std::max(largest, std::fabs(double(tap)));
                    gain += std::fabs(double(tap));
                }
                const auto digits = levelDigitsOf(taps, side, Finish{});
                QVERIFY(digits && digits->finish.plain);
                const std::vector<double> values = valuesOf(*digits, side);
                double error = 0;
                for (std::size_t i = 0; i < taps.size(); ++i) {
                    QVERIFY(std::fabs(values[i] - double(taps[i])) <= 1.05 * largest * 0x1p-24);
                    error += std::fabs(values[i] - double(taps[i]));
                }
                QVERIFY(error <= side * side * gain * 0x1p-24);
                // The sums' start is taken off without an error.
                double scales = 0;
                for (const float scale : digits->finish.scale)
                    scales += double(scale);
                QCOMPARE(double(digits->finish.base), -12582912.0 * scales);
            }
    }

    // Whole taps, and halves of sums: nothing is rounded, so that ties stay ties.
    void wholeTapsAreExact() {
        for (const int side : {3, 5, 7})
            for (const float divisor : {1.0f, 2.0f, 6.0f, -8.0f, 10.0f})
                for (int round = 0; round < 200; ++round) {
                    std::vector<float> taps;
                    std::vector<int> window;
                    int sum = 0;
                    for (int i = 0; i < side * side; ++i) {
                        taps.push_back(float(std::uniform_int_distribution<int>(-30, 40)(generator_)));
                        window.push_back(std::uniform_int_distribution<int>(0, 255)(generator_));
                        sum += int(taps.back()) * window.back();
                    }
                    const auto digits = levelDigitsOf(taps, side, Finish{divisor, 0.25f, Response::Clamp});
                    QVERIFY(digits);
                    QCOMPARE(finishedSum(*digits, window, side), float(sum) / divisor + 0.25f);
                }
    }

    // An odd divisor leaves no ties, and costs nothing once it is in the taps.
    void averagesAreFolded() {
        for (const int side : {3, 5, 7}) {
            const std::vector<float> ones(std::size_t(side * side), 1.0f);
            const float area = float(side * side);
            const auto digits = levelDigitsOf(ones, side, Finish{area, 0.0f, Response::Clamp});
            QVERIFY(digits && digits->finish.plain);
            QVERIFY(std::fabs(valuesOf(*digits, side)[0] * double(area) - 1) < 0x1p-23);
            QVERIFY(!levelDigitsOf(ones, side, Finish{area, 0.5f, Response::Clamp})->finish.plain);
            QVERIFY(!levelDigitsOf(ones, side, Finish{area, 0.0f, Response::Signed})->finish.plain);
            QCOMPARE(levelDigitsOf(ones, side, Finish{area, 0.0f, Response::Absolute})->finish.mask, 0x7fffffffu);
            QCOMPARE(levelDigitsOf(ones, side, Finish{6.0f, 0.0f, Response::Clamp})->finish.divisor, 6.0f);
        }
    }

    void refusals() {
        std::vector<float> taps(9, 1.0f);
        QVERIFY(levelDigitsOf(taps, 3, Finish{}));
        QVERIFY(levelDigitsOf(std::vector<float>(9, 0.0f), 3, Finish{}));
        QVERIFY(!levelDigitsOf(taps, 3, Finish{0x1p-60f, 0.0f, Response::Clamp}));
        for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf(""), 1e30f}) {
            taps[4] = bad;
            QVERIFY(!levelDigitsOf(taps, 3, Finish{}));
        }
    }

    // What tensor copies and bands ask of the shapes; and that all blocks that are to share a multiprocessor find room.
    void layouts() {
        for (const auto &[channels, small] : {std::pair{1, false}, {1, true}, {4, false}})
            for (int side = 1; side <= (channels == 1 ? largestLevelSide : 5); side += 2) {
                const LevelShape shape = levelShape(side, channels, small);
                QCOMPARE(shape.side(), std::max(side, 3));
                const BoxLayout box = BoxLayout::of(shape.columns(), shape.boxRows(), channels);
                QVERIFY((box.pad + boxReach * channels) % 16 == 0 && box.pitch % 16 == 0 && box.bytes % 128 == 0);
                QVERIFY(box.pitch / 4 <= 256 && shape.boxRows() <= 256);
                QVERIFY(box.pitch >= box.pad + (shape.columns() + 2 * boxReach) * channels);
                const LevelLayout layout = LevelLayout::of(shape);
                QVERIFY(layout.barriers % 8 == 0);
                QVERIFY(channels == 4 || shape.rows() * shape.columns() % 128 == 0); // where a part's outputs wait
                QVERIFY(channels == 4 || shape.columns() <= 256);                    // a box of the target, in bytes
                QVERIFY((layout.sharedBytes + 1024) * shape.blocks <= 228 * 1024);   // 1 KB is the system's
            }
    }

private:
    std::mt19937 generator_{20240608u};
};

QTEST_APPLESS_MAIN(LevelDigitsTest)
#include "level_digits_test.moc"
