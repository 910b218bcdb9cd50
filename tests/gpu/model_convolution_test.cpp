// The convolution model against closed forms and hand counts. That it equals the simulator is tests/sim's business.
#include "gpu/model/convolution_model.h"
#include "gpu/model/explain.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::model;

namespace {

ConvolutionCase caseOf(KernelVariant variant, int width, int height, int tapsWidth, int tapsHeight, BorderMode border) {
    ConvolutionCase launch;
    launch.plan = planConvolution(variant, {width, height, tapsWidth, tapsHeight, 4}, {}).plan;
    launch.sourceWidth = launch.targetWidth = width;
    launch.sourceHeight = launch.targetHeight = height;
    launch.tapsWidth = tapsWidth;
    launch.tapsHeight = tapsHeight;
    launch.anchorX = tapsWidth / 2;
    launch.anchorY = tapsHeight / 2;
    launch.border = border;
    return launch;
}

// Pairs of output and tap along one axis whose value lies inside a picture of `size`.
std::int64_t pairsInside(int size, int taps) {
    std::int64_t pairs = 0;
    for (int x = 0; x < size; ++x)
        for (int u = 0; u < taps; ++u)
            pairs += x + u - taps / 2 >= 0 && x + u - taps / 2 < size;
    return pairs;
}

} // namespace

class ModelConvolutionTest : public QObject {
    Q_OBJECT

private slots:
    void readsOfNaive_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("height");
        QTest::addColumn<int>("tapsWidth");
        QTest::addColumn<int>("tapsHeight");
        QTest::newRow("1x1") << 1 << 1 << 1 << 1;
        QTest::newRow("a kernel larger than the picture") << 5 << 3 << 31 << 9;
        QTest::newRow("odd") << 1001 << 703 << 7 << 5;
        QTest::newRow("8192x8192 under 63x63") << 8192 << 8192 << 63 << 63;
        QTest::newRow("long and flat") << 100000 << 3 << 4 << 4;
    }
    void readsOfNaive() {
        QFETCH(int, width);
        QFETCH(int, height);
        QFETCH(int, tapsWidth);
        QFETCH(int, tapsHeight);
        const auto zero = modelOf(caseOf(KernelVariant::Naive, width, height, tapsWidth, tapsHeight, BorderMode::Zero));
        QCOMPARE(zero.total(SiteKind::GlobalLoad, &SiteCounts::accesses),
                 pairsInside(width, tapsWidth) * pairsInside(height, tapsHeight));
        const std::int64_t outputs = std::int64_t(width) * height;
        const auto wrap = modelOf(caseOf(KernelVariant::Naive, width, height, tapsWidth, tapsHeight, BorderMode::Wrap));
        QCOMPARE(wrap.total(SiteKind::GlobalLoad, &SiteCounts::accesses), outputs * tapsWidth * tapsHeight);
        QCOMPARE(wrap.total(SiteKind::GlobalStore, &SiteCounts::accesses), outputs);
        QCOMPARE(wrap.readsPerValue(), double(tapsWidth * tapsHeight));
        QCOMPARE(wrap.operations, 2 * outputs * tapsWidth * tapsHeight);
        QCOMPARE(wrap.mustReadBytes + wrap.mustWriteBytes, 8 * outputs);
    }

    // Every block reads its footprint: (tile + taps - 1) values along each axis, those outside left out.
    void readsOfTiled() {
        for (const int taps : {3, 5, 15, 31}) {
            const auto launch = caseOf(KernelVariant::Tiled, 1000, 600, taps, taps, BorderMode::Replicate);
            const Extent tile = launch.plan.block;
            const auto model = modelOf(launch);
            QCOMPARE(model.total(SiteKind::GlobalLoad, &SiteCounts::accesses),
                     launch.plan.blocks() * (tile.x + taps - 1) * (tile.y + taps - 1));
            QCOMPARE(model.total(SiteKind::SharedStore, &SiteCounts::accesses),
                     model.total(SiteKind::GlobalLoad, &SiteCounts::accesses));
            QCOMPARE(model.total(SiteKind::SharedLoad, &SiteCounts::accesses), std::int64_t(600'000) * taps * taps);
            QCOMPARE(model.barriers, launch.plan.blocks());
            QCOMPARE(model.bankConflicts(), std::int64_t(0));
        }
    }

    void idleThreadsAndWhereTheySit() {
        const auto model = modelOf(caseOf(KernelVariant::Naive, 100, 61, 3, 3, BorderMode::Zero)); // blocks of 32x8
        QCOMPARE(model.idle.columns, 28);
        QCOMPARE(model.idle.rows, 3);
        QCOMPARE(model.idle.total, std::int64_t(128 * 64 - 100 * 61));
        // The last warp of every row with outputs; and, of the 59 rows whose windows lie inside in height, the first
        // and the last warp, where some windows stick out.
        QCOMPARE(model.divergentWarps, std::int64_t(61 + 2 * 59));
        QCOMPARE(modelOf(caseOf(KernelVariant::Tiled, 100, 61, 3, 3, BorderMode::Zero)).divergentWarps,
                 std::int64_t(61));
        const auto even = modelOf(caseOf(KernelVariant::Tiled, 128, 64, 3, 3, BorderMode::Zero));
        QCOMPARE(even.idle.total, std::int64_t(0));
        QCOMPARE(even.divergentWarps, std::int64_t(0));
    }

    // What must move is what some output needs: a region needs its surroundings too, once.
    void compulsoryBytesOfARegion() {
        auto launch = caseOf(KernelVariant::Tiled, 100, 100, 5, 3, BorderMode::Replicate);
        launch.originX = 10;
        launch.originY = 0;
        launch.targetWidth = 40;
        launch.targetHeight = 20;
        launch.plan = planConvolution(KernelVariant::Tiled, {40, 20, 5, 3, 4}, {}).plan;
        const auto model = modelOf(launch);
        QCOMPARE(model.mustReadBytes, std::int64_t(4 * (40 + 4) * (20 + 1))); // no row above the first
        QCOMPARE(model.mustWriteBytes, std::int64_t(4 * 40 * 20));
        QVERIFY(model.askedBytes() > model.mustReadBytes + model.mustWriteBytes);
        QVERIFY(model.movedBytes() > model.mustReadBytes);
    }

    // An aligned row of 32 floats takes 4 sectors; one that begins a value late, 5.
    void sectorsOfARow() {
        const auto aligned = modelOf(caseOf(KernelVariant::Naive, 8192, 64, 1, 1, BorderMode::Zero));
        QCOMPARE(aligned.sites[0].perRequest(), 4.0);
        auto late = caseOf(KernelVariant::Naive, 8192, 64, 1, 1, BorderMode::Zero);
        late.originX = 1;
        late.targetWidth = 8160; // 255 blocks
        late.plan = planConvolution(KernelVariant::Naive, {8160, 64, 1, 1, 4}, {}).plan;
        QCOMPARE(modelOf(late).sites[0].perRequest(), 5.0);
    }

    void explainsInWords() {
        const auto naive = modelOf(caseOf(KernelVariant::Naive, 8192, 8192, 5, 5, BorderMode::Replicate));
        QCOMPARE(explain(naive),
                 std::string("Each input value is read 25 times, 4.8 sectors a request; 6.25 operations a byte that "
                             "must move"));
        Ceilings ceilings;
        ceilings.bytesPerSecond = 4e12;
        ceilings.fp32 = 60e12;
        const auto tiled = modelOf(caseOf(KernelVariant::Tiled, 8192, 8192, 5, 5, BorderMode::Replicate));
        const auto limits = *multiprocessorLimits(9, 0);
        const auto occupancy = occupancyOf({256, 40, tiled.launch.plan.sharedBytes}, limits);
        QCOMPARE(explain(tiled, occupancy, rooflineOf(tiled.work(), ceilings)),
                 std::string("Each input value is read 1.69 times, 3.5 sectors a request, then 25 times from shared "
                             "memory without bank conflicts; 6.25 operations a byte that must move: bound by memory; "
                             "occupancy 75 %, limited by registers"));
        const auto large = modelOf(caseOf(KernelVariant::Naive, 8192, 8192, 31, 31, BorderMode::Replicate));
        QVERIFY(explain(large, {}, rooflineOf(large.work(), ceilings)).ends_with("bound by fp32 arithmetic"));
        const auto one = modelOf(caseOf(KernelVariant::Naive, 64, 64, 1, 1, BorderMode::Replicate));
        QVERIFY(explain(one).starts_with("Each input value is read once, 4 sectors a request"));
        QCOMPARE(explainIdle(one), std::string("none"));
        QCOMPARE(
            explainIdle(modelOf(caseOf(KernelVariant::Naive, 100, 61, 1, 1, BorderMode::Zero))),
            std::string("28 thread columns of the last column of blocks and 3 thread rows of the last row of blocks"));
        QVERIFY(explain(one, occupancyOf({2048, 16, 0}, limits)).ends_with("for want of slots for warps"));
    }

    void numbersForPeople() {
        QCOMPARE(shortNumber(25), std::string("25"));
        QCOMPARE(shortNumber(1.6875), std::string("1.69"));
        QCOMPARE(shortNumber(12.5), std::string("12.5"));
        QCOMPARE(shortNumber(123.4), std::string("123"));
        QCOMPARE(shortNumber(0.0833), std::string("0.08"));
        QCOMPARE(shortNumber(9.999), std::string("10"));
        QCOMPARE(shortNumber(100), std::string("100"));
        QCOMPARE(shortNumber(0), std::string("0"));
    }

    void refusesWhatItCannotModel() {
        auto empty = caseOf(KernelVariant::Naive, 10, 10, 3, 3, BorderMode::Zero);
        empty.targetWidth = 0;
        QVERIFY_EXCEPTION_THROWN(modelOf(empty), std::invalid_argument);
        auto odd = caseOf(KernelVariant::Naive, 10, 10, 3, 3, BorderMode::Zero);
        odd.plan.block = {12, 4};
        QVERIFY_EXCEPTION_THROWN(modelOf(odd), std::invalid_argument);
    }
};

QTEST_APPLESS_MAIN(ModelConvolutionTest)
#include "model_convolution_test.moc"
