// Examples worked out by hand elsewhere, run through the planner and the model. Each row carries the example's id;
// tests/worked_examples lists them all. Those about kernels are in tests/sim/worked_examples_sim_test.cpp.
#include "gpu/model/banks.h"
#include "gpu/model/convolution_model.h"
#include "gpu/model/divergence.h"
#include "gpu/model/matrix_product.h"
#include "gpu/model/occupancy.h"
#include "gpu/model/roofline.h"
#include "gpu/model/sectors.h"

#include <QtTest>

#include <map>

using namespace tessera;
using namespace tessera::model;

namespace {

// The 4x4 picture under a 3x3 kernel: all outputs, or the four whose window lies inside.
ConvolutionCase fourByFour(KernelVariant variant, bool insideOnly, Extent block) {
    ConvolutionCase launch;
    launch.sourceWidth = launch.sourceHeight = 4;
    launch.tapsWidth = launch.tapsHeight = 3;
    launch.anchorX = launch.anchorY = 1;
    launch.border = BorderMode::Zero;
    launch.originX = launch.originY = insideOnly ? 1 : 0;
    launch.targetWidth = launch.targetHeight = insideOnly ? 2 : 4;
    launch.plan.variant = variant;
    launch.plan.block = block;
    launch.plan.grid = {ceilDivide(launch.targetWidth, block.x), ceilDivide(launch.targetHeight, block.y)};
    return launch;
}

// How often each value of the source is read from global memory by the only block of a launch.
std::map<std::pair<int, int>, int> readsOfEachValue(const ConvolutionCase &launch) {
    std::map<std::pair<int, int>, int> reads;
    const AccessSite site = accessesOf(launch).sites.front();
    for (int ty = 0; ty < launch.plan.block.y; ++ty)
        for (int stepY = 0; stepY < site.stepsY; ++stepY)
            for (int tx = 0; tx < launch.plan.block.x; ++tx)
                for (int stepX = 0; stepX < site.stepsX; ++stepX) {
                    const SiteRow row = site.row(0, ty, stepY);
                    const int column = site.column(0, tx, stepX, row.plain);
                    if (row.row != nowhere && column != nowhere)
                        ++reads[{column, row.row}];
                }
    return reads;
}

// A test of one row, so that its id is a data tag like the others.
void single(const char *id) {
    QTest::addColumn<int>("row");
    QTest::newRow(id) << 0;
}

} // namespace

class WorkedExamplesTest : public QObject {
    Q_OBJECT

private slots:
    // Four threads read one field of records of eight floats, memory moving 16 bytes at once.
    void recordsAndArrays_data() {
        QTest::addColumn<int>("field");
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("transactions");
        QTest::addColumn<double>("used");
        QTest::addColumn<QList<int>>("chunks");
        QTest::newRow("A-18.2.1 records") << 2 << 32 << 4 << 0.25 << QList<int>{0, 2, 4, 6};
        QTest::newRow("A-18.2.1 arrays") << 0 << 4 << 1 << 1.0 << QList<int>{0, 0, 0, 0};
        QTest::newRow("A-q2 records") << 6 << 32 << 4 << 0.25 << QList<int>{1, 3, 5, 7};
    }
    void recordsAndArrays() {
        QFETCH(int, field);
        QFETCH(int, stride);
        QFETCH(int, transactions);
        QFETCH(double, used);
        QFETCH(QList<int>, chunks);
        const Request request = stridedRequest(4, field * 4, stride, 4);
        const Traffic traffic = trafficOf(request, 16);
        QCOMPARE(traffic.units, transactions);
        QCOMPARE(traffic.movedBytes, std::int64_t(16) * transactions);
        QCOMPARE(traffic.usedBytes, std::int64_t(16));
        QCOMPARE(traffic.utilisation(), used);
        for (int i = 0; i < 4; ++i)
            QCOMPARE(int(request[std::size_t(i)].address / 16), chunks[i]);
    }

    // A whole warp, in sectors: eight times the stride is eight times the sectors.
    void strideOfAField_data() { single("A-18.2"); }
    void strideOfAField() {
        struct Record {
            float field[8];
        };
        QCOMPARE(int(sizeof(Record)), 32);
        QCOMPARE(sectorsOf(stridedRequest(32, 8, sizeof(Record), 4)), 8 * sectorsOf(stridedRequest(32, 0, 4, 4)));
    }

    void readsOfTheFourByFour_data() {
        QTest::addColumn<bool>("tiled");
        QTest::addColumn<bool>("insideOnly");
        QTest::addColumn<int>("block"); // threads a side
        QTest::addColumn<int>("reads");
        QTest::newRow("A-18.3.1 without padding") << false << true << 2 << 36;
        QTest::newRow("A-18.3.2 without padding, 16 threads") << true << true << 4 << 16;
        QTest::newRow("A-18.3.2 without padding, 4 threads") << true << true << 2 << 16;
        QTest::newRow("A-18.3.3 padding 1, naive") << false << false << 4 << 100;
        QTest::newRow("A-18.3.3 padding 1, tiled") << true << false << 4 << 16;
    }
    void readsOfTheFourByFour() {
        QFETCH(bool, tiled);
        QFETCH(bool, insideOnly);
        QFETCH(int, block);
        QFETCH(int, reads);
        const auto variant = tiled ? KernelVariant::Tiled : KernelVariant::Naive;
        const auto model = modelOf(fourByFour(variant, insideOnly, {block, block}));
        QCOMPARE(model.total(SiteKind::GlobalLoad, &SiteCounts::accesses), std::int64_t(reads));
        QCOMPARE(model.mustReadBytes, std::int64_t(16 * 4)); // 16 distinct values
        QCOMPARE(model.outputs, std::int64_t(insideOnly ? 4 : 16));
        if (tiled && insideOnly && block == 4)
            QCOMPARE(model.idle.total, std::int64_t(12)); // 16 threads load, 4 compute
    }

    void readsOfEachCell_data() { single("A-18.3.1"); }
    void readsOfEachCell() {
        const auto naive = readsOfEachValue(fourByFour(KernelVariant::Naive, true, {2, 2}));
        const auto tiled = readsOfEachValue(fourByFour(KernelVariant::Tiled, true, {2, 2}));
        QCOMPARE(naive.size(), std::size_t(16));
        QCOMPARE(tiled.size(), std::size_t(16));
        for (const auto &[cell, count] : naive) {
            const bool insideX = cell.first == 1 || cell.first == 2;
            const bool insideY = cell.second == 1 || cell.second == 2;
            QCOMPARE(count, (insideX ? 2 : 1) * (insideY ? 2 : 1)); // 4 inside, 2 on the edges, 1 in the corners
            QCOMPARE(tiled.at(cell), 1);
        }
    }

    void lanesThatPart_data() { single("B-5.1"); }
    void lanesThatPart() {
        // Eight lanes: 0 to 3 one way, 4 to 7 the other: one divergent warp, which runs both ways.
        const std::vector<bool> ways{true, true, true, true, false, false, false, false};
        QCOMPARE(divergentWarps(ways), 1);
        QCOMPARE(divergentWarps(std::vector<bool>(8, true)), 0);
    }

    void treesOf256_data() {
        QTest::addColumn<int>("tree");
        QTest::addColumn<int>("divergent");
        QTest::newRow("C-2b interleaved") << int(ReductionTree::Interleaved) << 47;
        QTest::newRow("C-2b sequential") << int(ReductionTree::Sequential) << 5;
    }
    void treesOf256() {
        QFETCH(int, tree);
        QFETCH(int, divergent);
        const auto rounds = reductionRounds(ReductionTree(tree), 256);
        QCOMPARE(rounds.size(), std::size_t(8));
        QCOMPARE(totalDivergence(rounds), divergent);
    }

    void sectorsOfAWarp_data() {
        QTest::addColumn<int>("stride"); // in floats
        QTest::addColumn<int>("sectors");
        QTest::newRow("C-3 consecutive") << 1 << 4;
        QTest::newRow("C-3 stride 32") << 32 << 32;
    }
    void sectorsOfAWarp() {
        QFETCH(int, stride);
        QFETCH(int, sectors);
        QCOMPARE(sectorsOf(stridedRequest(32, 0, 4 * stride, 4)), sectors);
    }

    void columnsOfSharedMemory_data() {
        QTest::addColumn<int>("row"); // words from one row to the next
        QTest::addColumn<bool>("swizzled");
        QTest::addColumn<int>("passes");
        QTest::newRow("C-3b 32 wide") << 32 << false << 32;
        QTest::newRow("C-3b padded to 33") << 33 << false << 1;
        QTest::newRow("C-3b the same word for all") << 0 << false << 1;
        QTest::newRow("C-3b swizzled") << 32 << true << 1;
    }
    void columnsOfSharedMemory() {
        QFETCH(int, row);
        QFETCH(bool, swizzled);
        QFETCH(int, passes);
        for (int column = 0; column < 32; ++column) {
            Request request;
            for (int lane = 0; lane < 32; ++lane) {
                const int stored = swizzled ? swizzledColumn(lane, column, 32) : column;
                request.push_back({lane, std::int64_t(lane * row + stored) * 4, 4});
            }
            QCOMPARE(passesOf(request), passes);
        }
    }

    void leastOfTheLimits_data() {
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("registers");
        QTest::addColumn<int>("shared");
        QTest::addColumn<int>("blocks");
        QTest::addColumn<QString>("limit");
        // Of compute capability 8.0: 32 blocks, 64 warps, 65,536 registers, 164 KB.
        QTest::newRow("C-4 blocks") << 32 << 16 << 0 << 32 << "slots for blocks";
        QTest::newRow("C-4 warps") << 256 << 24 << 0 << 8 << "slots for warps";
        QTest::newRow("C-4 registers") << 256 << 64 << 0 << 4 << "registers";
        QTest::newRow("C-4 shared memory") << 256 << 24 << 40 * 1024 << 4 << "shared memory";
    }
    void leastOfTheLimits() {
        QFETCH(int, threads);
        QFETCH(int, registers);
        QFETCH(int, shared);
        QFETCH(int, blocks);
        QFETCH(QString, limit);
        const auto occupancy = occupancyOf({threads, registers, std::size_t(shared)}, *multiprocessorLimits(8, 0));
        QCOMPARE(occupancy.blocks, blocks);
        QCOMPARE(QString::fromStdString(limitingResources(occupancy)), limit);
    }

    void matrixProduct_data() { single("C-5"); }
    void matrixProduct() {
        const ProductShape shape{64, 96, 128};
        QCOMPARE(naiveProductReads(shape), std::int64_t(2) * 64 * 96 * 128);
        QCOMPARE(naiveProductReads(shape) / tiledProductReads(shape, 16, 16), std::int64_t(16));
        QCOMPARE(tiledProductReads(shape, 1, 1), naiveProductReads(shape)); // a tile of one output saves nothing
        // Eight values from shared memory make sixteen multiply-adds instead of four.
        QCOMPARE(threadTiledSharedReads(shape, 4, 4) * 4, naiveProductReads(shape));
    }

    void vectorAdd_data() { single("C-0"); }
    void vectorAdd() {
        const double n = 1 << 20;
        const Work work{n, 12 * n, ArithmeticUnit::Fp32}; // two reads and a write of 4 bytes an addition
        QCOMPARE(work.intensity(), 1.0 / 12);
        Ceilings ceilings;
        ceilings.bytesPerSecond = 1e12;
        ceilings.fp32 = 10e12;
        ceilings.tensor = 500e12; // no use to an addition
        const auto roofline = rooflineOf(work, ceilings);
        QVERIFY(roofline && roofline->bound == Bound::Memory);
        QCOMPARE(roofline->ridge, 10.0);
        QCOMPARE(roofline->attainable, 1e12 / 12);
    }
};

QTEST_APPLESS_MAIN(WorkedExamplesTest)
#include "worked_examples_test.moc"
