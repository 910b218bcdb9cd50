// Filters as sums of separable ones (gpu/model/factors.h), and how the separable variant is laid over a picture.
#include "gpu/kernels/separable.h"
#include "gpu/launch/separable.h"
#include "gpu/model/factors.h"
#include "tests/gpu/large_device.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

using namespace tessera;
using test::largeDevice;

namespace {

std::unique_ptr<Taps> tapsOf(int width, int height, const std::vector<double> &values) {
    auto taps = std::make_unique<Taps>();
    taps->width = width;
    taps->height = height;
    for (std::size_t i = 0; i < values.size(); ++i)
        taps->value[i] = float(values[i]);
    return taps;
}

std::unique_ptr<Taps> tapsOfRank(int width, int height, int rank) {
    std::mt19937 random(unsigned(width * 100 + height * 10 + rank));
    std::uniform_real_distribution<double> value(-0.5, 1.0);
    const auto taps = [](int count) { return static_cast<std::size_t>(count); };
    std::vector<double> sum(taps(width * height), 0.0);
    for (int term = 0; term < rank; ++term) {
        std::vector<double> across(taps(width)), down(taps(height));
        for (double &entry : across)
            entry = value(random);
        for (double &entry : down)
            entry = value(random);
        for (std::size_t i = 0; i < sum.size(); ++i)
            sum[i] += across[i % across.size()] * down[i / across.size()];
    }
    return tapsOf(width, height, sum);
}

} // namespace

class SeparableTest : public QObject {
    Q_OBJECT

private slots:
    void findsTheRank_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("rank");
        for (const auto &[width, height] : {std::pair{5, 5}, {31, 31}, {7, 12}, {63, 63}})
            for (int rank = 1; rank <= 4; ++rank)
                QTest::addRow("%dx%d rank %d", width, height, rank) << width << height << rank;
    }
    void findsTheRank() {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, rank);
        const auto taps = tapsOfRank(width, height, rank);
        const model::SeparableFactors factors = model::factorize(*taps, maximumSeparableTerms);
        QVERIFY(factors.exact);
        QCOMPARE(int(factors.terms.size()), rank);
        for (int i = 0; i < taps->count(); ++i) {
            double sum = 0.0;
            for (const model::SeparableTerm &term : factors.terms)
                sum += double(term.across[std::size_t(i % width)]) * double(term.down[std::size_t(i / width)]);
            QVERIFY(std::fabs(sum - double(taps->value[i])) < 2e-6);
        }
    }

    void wholeNumbersStayWhole() {
        std::vector<double> values; // the binomial filter: 6 24 36 24 6 in the middle row
        for (const double v : {1, 4, 6, 4, 1})
            for (const double u : {1, 4, 6, 4, 1})
                values.push_back(u * v);
        const model::SeparableFactors factors = model::factorize(*tapsOf(5, 5, values), maximumSeparableTerms);
        QCOMPARE(factors.terms.size(), 1u);
        QCOMPARE(factors.residual, 0.0);
        QCOMPARE(factors.terms[0].across, (std::vector<float>{1, 4, 6, 4, 1}));
        QCOMPARE(factors.terms[0].down, (std::vector<float>{1, 4, 6, 4, 1}));
    }

    void denseFiltersAreNotExact() {
        const auto taps = tapsOfRank(9, 9, 7);
        QVERIFY(!model::factorize(*taps, maximumSeparableTerms).exact);
    }

    void nothingIsATermToo() {
        const model::SeparableFactors factors =
            model::factorize(*tapsOf(3, 3, std::vector<double>(9, 0.0)), maximumSeparableTerms);
        QVERIFY(factors.exact);
        QCOMPARE(factors.terms.size(), 1u);
    }

    // The window must begin where rows are aligned: zeros before the taps see to it.
    void windowsBeginAligned() {
        for (int bytes : {1, 2, 4})
            for (int side = 1; side <= 31; ++side)
                for (int anchor = 0; anchor < side; ++anchor) {
                    const ConvolutionShape shape{2000, 1000, side, side, bytes, 1};
                    const SeparablePlan plan = planSeparable(shape, 1, false, -anchor, true, largeDevice());
                    QVERIFY(plan.refusal.empty());
                    QVERIFY(plan.bulk);
                    QVERIFY(plan.side >= side + plan.leadingZeros);
                    const int perChunk = 16 / bytes;
                    const int lead = separable::roundUp(plan.side / 2, perChunk) - plan.side / 2;
                    QCOMPARE((anchor + plan.leadingZeros + lead) % perChunk, 0);
                    const LaunchPlan &launch = plan.launch;
                    QVERIFY(launch.grid.x * 512 >= 2000);
                    QVERIFY(launch.grid.y * plan.rowsPerSegment >= 1000);
                    QVERIFY((launch.grid.y - 1) * plan.rowsPerSegment < 1000);
                }
    }

    // The form for 8-bit pixels, of one channel and one term: from 7x7 on, and from 5x5 where halves hold the taps.
    void bytesBeginAligned() {
        for (const int parts : {1, 2})
            for (int side = 7; side <= 31; ++side)
                for (const int anchor : {0, side / 2}) {
                    const ConvolutionShape shape{2000, 1000, side, side, 1, 1, 0, true};
                    const SeparablePlan plan = planSeparableBytes(shape, 1, parts, -anchor, largeDevice());
                    if (anchor == 0 && !plan.refusal.empty()) // zeros up to the 16 before make the kernel too large
                        continue;
                    QVERIFY2(plan.refusal.empty(), plan.refusal.c_str());
                    QVERIFY(plan.side >= side + plan.leadingZeros);
                    const int lead = separable::roundUp(plan.side / 2, 16) - plan.side / 2;
                    QCOMPARE((anchor + plan.leadingZeros + lead) % 16, 0);
                    QCOMPARE(plan.launch.grid.x, ceilDivide(2000, 256));
                    QCOMPARE(plan.launch.block.x, parts == 2 && plan.side > 17 ? 128 : 256);
                    QVERIFY(plan.launch.grid.y * plan.rowsPerSegment >= 1000);
                    QVERIFY((plan.launch.grid.y - 1) * plan.rowsPerSegment < 1000);
                    QCOMPARE(plan.rowsPerSegment % 8, 0);
                }
    }

    void bytesRefuse() {
        const auto refusal = [](ConvolutionShape shape, int terms, int parts, int firstColumn) {
            return planSeparableBytes(shape, terms, parts, firstColumn, largeDevice()).refusal;
        };
        const ConvolutionShape shape{2000, 1000, 31, 31, 1, 1, 0, true};
        QVERIFY(refusal(shape, 1, 2, -15).empty());
        QVERIFY(!refusal(shape, 2, 2, -15).empty());
        QVERIFY(refusal(shape, 1, 2, -29).find("zeros") != std::string::npos);
        QVERIFY(!refusal({2000, 1000, 31, 31, 1, 4, 0, true}, 1, 2, -15).empty());
        QVERIFY(!refusal({2000, 1000, 31, 31, 1, 1, 0, false}, 1, 2, -15).empty()); // to float
        QVERIFY(refusal({2000, 1000, 5, 5, 1, 1, 0, true}, 1, 2, -2).find("small") != std::string::npos);
        QVERIFY(refusal({2000, 1000, 5, 5, 1, 1, 0, true}, 1, 1, -2).empty());
        QVERIFY(!refusal({2000, 1000, 35, 3, 1, 1, 0, true}, 1, 2, -17).empty());
        ConvolutionShape known = shape;
        known.terms = 1;
        QCOMPARE(planConvolution(KernelVariant::Separable, known, largeDevice()).plan.block.x, 128);
    }

    void bytesAreScaledByPowersOfTwo() {
        const model::SeparableTerm term{{0.25f, -3.0f, 0.1f}, {1e-4f, 2e-4f, 3e-5f, 1e-4f}};
        QCOMPARE(byteParts(term), 2);
        QCOMPARE(byteParts({{1, 4, 6, 4, 1}, {1, -2000, 1}}), 1);
        QCOMPARE(byteParts({{1, 4, 6, 4, 1}, {1, 4097, 1}}), 2);
        for (const float divisor : {1.0f, -8.0f, 0.125f, 3.0f}) {
            const auto made = byteTaps(term, 5, {divisor, 2.0f, Response::Signed});
            QVERIFY(made.has_value());
            const SeparableByteOperands &operands = made->operands;
            QCOMPARE(made->quick, divisor != 3.0f);
            QCOMPARE(operands.finish.offset, 130.0f);
            QCOMPARE(operands.finish.divisor, divisor == 3.0f ? 3.0f : 1.0f);
            QCOMPARE(std::fabs(operands.across[6]), 24576.0f);
            QCOMPARE(operands.across[4], 0.0f);
            for (std::size_t u = 0; u < 3; ++u)
                for (std::size_t v = 0; v < 4; ++v)
                    QCOMPARE(double(operands.across[5 + u]) * double(operands.down[v]) * 0x1p-24 *
                                 double(operands.scale) / double(operands.finish.divisor),
                             double(term.across[u]) * double(term.down[v]) / double(divisor));
        }
        const auto quick = [&](const Finish &finish) { return byteTaps(term, 0, finish).value().quick; };
        QVERIFY(quick({4.0f, -7.0f, Response::Clamp}) && !quick({4.0f, -7.5f, Response::Clamp}));
        QVERIFY(!quick({4.0f, 0.0f, Response::Absolute}) && !quick({4.0f, 5e6f, Response::Clamp}));
        QVERIFY(!quick({0x1p-24f, 0.0f, Response::Clamp})); // sums too large for a rounding by addition
    }

    void bytesLeaveExtremesToTheOtherForm() {
        const float infinity = std::numeric_limits<float>::infinity();
        QVERIFY(!byteTaps({{1, infinity}, {1, 1}}, 0, {}));
        QVERIFY(!byteTaps({{1, 2}, {std::numeric_limits<float>::quiet_NaN(), 1}}, 0, {}));
        QVERIFY(!byteTaps({{1e-30f}, {1e-30f}}, 0, {}));
        QVERIFY(!byteTaps({{1}, {1}}, 0, {0.0f, 0.0f, Response::Clamp}));
        QVERIFY(byteTaps({{0, 0}, {0, 0}}, 0, {}));
    }

    void refuses() {
        const ConvolutionShape shape{2000, 1000, 31, 31, 4, 1};
        QVERIFY(planSeparable(shape, 5, false, -15, true, largeDevice()).refusal.find("up to 4") != std::string::npos);
        DeviceLimits small = largeDevice();
        small.sharedBytesPerBlock = 64 * 1024;
        QVERIFY(planSeparable(shape, 1, false, -15, true, small).refusal.find("shared memory") != std::string::npos);
        QVERIFY(planSeparable({2000, 1000, 64, 3, 4, 1}, 1, false, -32, true, largeDevice()).refusal.find("64x3") !=
                std::string::npos);
        small = largeDevice();
        small.computeCapability = 89;
        ConvolutionShape known = shape;
        QVERIFY(!planConvolution(KernelVariant::Separable, known, largeDevice()).refusal.empty()); // terms not known
        known.terms = 1;
        QVERIFY(planConvolution(KernelVariant::Separable, known, largeDevice()).refusal.empty());
        QVERIFY(planConvolution(KernelVariant::Separable, known, small).refusal.find("9.0") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(SeparableTest)
#include "separable_test.moc"
