// The pieces of the access model: sectors, banks, divergence, roofline, kinds of blocks.
#include "gpu/model/banks.h"
#include "gpu/model/block_classes.h"
#include "gpu/model/divergence.h"
#include "gpu/model/occupancy.h"
#include "gpu/model/roofline.h"
#include "gpu/model/sectors.h"

#include <QtTest>

#include <numeric>

using namespace tessera::model;

class ModelTest : public QObject {
    Q_OBJECT

private slots:
    void sectorsOfRequests_data() {
        QTest::addColumn<int>("base");
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<int>("sectors");
        QTest::newRow("float") << 0 << 4 << 4 << 4;
        QTest::newRow("float, one value late") << 4 << 4 << 4 << 5;
        QTest::newRow("float, eight values late") << 32 << 4 << 4 << 4;
        QTest::newRow("float2") << 0 << 8 << 8 << 8;
        QTest::newRow("float2, one value late") << 8 << 8 << 8 << 9;
        QTest::newRow("float4") << 0 << 16 << 16 << 16;
        QTest::newRow("float4, one value late") << 16 << 16 << 16 << 17;
        QTest::newRow("bytes") << 0 << 1 << 1 << 1;
        QTest::newRow("bytes, late") << 31 << 1 << 1 << 2;
        QTest::newRow("every second float") << 0 << 8 << 4 << 8;
        QTest::newRow("every eighth float") << 0 << 32 << 4 << 32;
        QTest::newRow("every 33rd float") << 0 << 132 << 4 << 32;
        QTest::newRow("backward") << 124 << -4 << 4 << 4;
        QTest::newRow("one value for all") << 8 << 0 << 4 << 1;
        QTest::newRow("two sectors a lane") << 24 << 64 << 16 << 64;
    }
    void sectorsOfRequests() {
        QFETCH(int, base);
        QFETCH(int, stride);
        QFETCH(int, bytes);
        QFETCH(int, sectors);
        const Request request = stridedRequest(32, base, stride, bytes);
        QCOMPARE(sectorsOf(request), sectors);
        QCOMPARE(trafficOf(request).movedBytes, std::int64_t(32) * sectors);
        if (stride == bytes)
            QCOMPARE(sectorsOfRun(base, 32, bytes), std::int64_t(sectors));
    }

    void utilisation() {
        QCOMPARE(trafficOf(stridedRequest(32, 0, 4, 4)).utilisation(), 1.0);
        QCOMPARE(trafficOf(stridedRequest(32, 0, 32, 4)).utilisation(), 0.125);
        QCOMPARE(trafficOf(stridedRequest(32, 0, 0, 4)).usedBytes, std::int64_t(4)); // one value, asked for 32 times
        QCOMPARE(trafficOf({}).utilisation(), 0.0);
        QCOMPARE(sectorsOfRun(0, 0, 4), std::int64_t(0));
    }

    void passesOfRequests_data() {
        QTest::addColumn<int>("stride"); // in bytes
        QTest::addColumn<int>("bytes");
        QTest::addColumn<int>("passes");
        QTest::addColumn<int>("least");
        QTest::newRow("words") << 4 << 4 << 1 << 1;
        QTest::newRow("every second word") << 8 << 4 << 2 << 1;
        QTest::newRow("a column of 32") << 128 << 4 << 32 << 1;
        QTest::newRow("a column of 33") << 132 << 4 << 1 << 1;
        QTest::newRow("one word") << 0 << 4 << 1 << 1;
        QTest::newRow("bytes") << 1 << 1 << 1 << 1;
        QTest::newRow("halves") << 2 << 2 << 1 << 1;
        QTest::newRow("8 bytes in two halves") << 8 << 8 << 2 << 2;
        QTest::newRow("16 bytes in four quarters") << 16 << 16 << 4 << 4;
        QTest::newRow("16 bytes, every second") << 32 << 16 << 8 << 4;
        QTest::newRow("16 bytes in a column of 128") << 128 << 16 << 32 << 4;
        QTest::newRow("16 bytes in a column of 144") << 144 << 16 << 4 << 4;
    }
    void passesOfRequests() {
        QFETCH(int, stride);
        QFETCH(int, bytes);
        QFETCH(int, passes);
        QFETCH(int, least);
        const Request request = stridedRequest(32, 0, stride, bytes);
        QCOMPARE(passesOf(request), passes);
        QCOMPARE(leastPassesOf(request), least);
        QCOMPARE(conflictsOf(request), passes - least);
    }

    void fewLanesTakeFewerPasses() {
        QCOMPARE(passesOf({}), 0);
        QCOMPARE(passesOf(stridedRequest(8, 0, 16, 16)), 1); // one quarter
        QCOMPARE(leastPassesOf({{31, 0, 16}}), 1);
        QCOMPARE(passesOf({{0, 0, 8}, {31, 0, 8}}), 2); // the same words, but in different halves
    }

    // Padding and swizzle free both rows and columns, for every width that a tile may have.
    void curesOfConflicts() {
        for (int width = 32; width <= 256; width *= 2) {
            const int padded = paddedRow(width);
            QVERIFY(std::gcd(padded, banks) == 1);
            for (int line = 0; line < 32; ++line) {
                Request paddedColumn, swizzled, swizzledRow;
                std::vector<bool> used(std::size_t(width), false);
                for (int lane = 0; lane < 32; ++lane) {
                    paddedColumn.push_back({lane, std::int64_t(lane * padded + line) * 4, 4});
                    const int column = swizzledColumn(lane, line, width);
                    QVERIFY(column >= 0 && column < width);
                    swizzled.push_back({lane, std::int64_t(lane * width + column) * 4, 4});
                    const int inRow = swizzledColumn(line, lane, width);
                    QVERIFY(!used[std::size_t(inRow)]); // no two elements in one place
                    used[std::size_t(inRow)] = true;
                    swizzledRow.push_back({lane, std::int64_t(line * width + inRow) * 4, 4});
                }
                QCOMPARE(passesOf(paddedColumn), 1);
                QCOMPARE(passesOf(swizzled), 1);
                QCOMPARE(passesOf(swizzledRow), 1);
            }
        }
    }

    void divergence() {
        QCOMPARE(divergentWarps(std::vector<bool>(64, true)), 0);
        QCOMPARE(divergentWarps(std::vector<bool>(64, false)), 0);
        std::vector<bool> active(70, true);
        active[63] = false;
        QCOMPARE(divergentWarps(active), 1);
        active[69] = false; // in the short last warp
        QCOMPARE(divergentWarps(active), 2);
        QCOMPARE(divergentWarps({}), 0);
    }

    void reductionTrees() {
        const auto interleaved = reductionRounds(ReductionTree::Interleaved, 256);
        const auto strided = reductionRounds(ReductionTree::Strided, 256);
        const auto sequential = reductionRounds(ReductionTree::Sequential, 256);
        QCOMPARE(interleaved.size(), std::size_t(8));
        for (std::size_t i = 0; i < 8; ++i) { // all add the same number of pairs a round
            QCOMPARE(interleaved[i].activeThreads, 128 >> i);
            QCOMPARE(strided[i].activeThreads, 128 >> i);
            QCOMPARE(sequential[i].activeThreads, 128 >> i);
        }
        QCOMPARE(totalDivergence(strided), totalDivergence(sequential));
        QCOMPARE(sequential[0].stride, 128);
        // Threads 0 to 31 read words 0, 2, ... 62: two words on every second bank; then four on every fourth.
        QCOMPARE(strided[0].passes, 4 * 2 * 2);
        QCOMPARE(strided[1].passes, 2 * 2 * 4);
        for (const ReductionRound &round : sequential)
            QCOMPARE(round.passes, round.leastPasses);
        // Interleaved leaves the conflicts to the few lanes that remain: never two words on one bank in a warp.
        for (const ReductionRound &round : interleaved)
            QCOMPARE(round.passes, round.leastPasses);
    }

    void occupancyNamesWhatLimits() {
        const auto hopper = *multiprocessorLimits(9, 0);
        QCOMPARE(limitingResources(occupancyOf({256, 32, 0}, hopper)), std::string("registers and slots for warps"));
        QCOMPARE(limitingResources(occupancyOf({256, 96, 0}, hopper)), std::string("registers"));
        QCOMPARE(limitingResources(occupancyOf({256, 24, 60 * 1024}, hopper)), std::string("shared memory"));
        QCOMPARE(limitingResources(occupancyOf({32, 16, 0}, hopper)), std::string("slots for blocks"));
        QCOMPARE(occupancyOf({256, 96, 0}, hopper).blocks, 2);
        QCOMPARE(occupancyOf({256, 96, 0}, hopper).share(), 0.25);
        QCOMPARE(occupancyOf({2048, 16, 0}, hopper).blocks, 0);
        QCOMPARE(occupancyOf({256, 0, 0}, hopper).byRegisters, int(Occupancy::unlimited)); // not known
        QVERIFY(!multiprocessorLimits(9, 9) && !multiprocessorLimits(3, 5));
    }

    void roofline() {
        Ceilings ceilings;
        ceilings.bytesPerSecond = 4e12;
        ceilings.fp32 = 60e12;
        const auto memory = rooflineOf({1e9, 1e9, ArithmeticUnit::Fp32}, ceilings);
        QVERIFY(memory && memory->bound == Bound::Memory);
        QCOMPARE(memory->ridge, 15.0);
        QCOMPARE(memory->attainable, 4e12);
        QCOMPARE(memory->floorSeconds, 0.25e-3);
        QCOMPARE(memory->shareOf(0.5e-3), 0.5);
        const auto arithmetic = rooflineOf({60e9, 1e9, ArithmeticUnit::Fp32}, ceilings);
        QVERIFY(arithmetic && arithmetic->bound == Bound::Arithmetic);
        QCOMPARE(arithmetic->attainable, 60e12);
        QCOMPARE(arithmetic->floorSeconds, 1e-3);
        // A ceiling that nobody measured is no ceiling: not taken from another unit.
        QVERIFY(!rooflineOf({1e9, 1e9, ArithmeticUnit::Tensor}, ceilings));
        QVERIFY(!rooflineOf({1e9, 1e9, ArithmeticUnit::Fp32}, {}));
        QCOMPARE(Work().intensity(), 0.0);
    }

    void kindsOfBlocks() {
        GridAxis axis; // 8192 columns in tiles of 32, a 5-wide kernel
        axis.blocks = 256;
        axis.tile = 32;
        axis.outputs = axis.sourceSize = 8192;
        axis.before = axis.after = 2;
        axis.sourceStep = axis.targetStep = 4;
        const auto classes = blockClasses(axis);
        QCOMPARE(classes.size(), std::size_t(3)); // left, inside, right
        QCOMPARE(classes[1].count, std::int64_t(254));
        axis.outputs = axis.sourceSize = 8190;
        QCOMPARE(blockClasses(axis).size(), std::size_t(3)); // the last is short, and at the edge
        axis.before = axis.after = 40;
        QCOMPARE(blockClasses(axis).size(), std::size_t(5)); // two reach over each edge
        axis.sourceStep = 1;                                 // rows of bytes at a pitch of no sectors
        axis.tile = 8;
        axis.blocks = 1024;
        const auto bytes = blockClasses(axis);
        std::int64_t all = 0;
        for (const BlockClass &one : bytes)
            all += one.count;
        QCOMPARE(all, std::int64_t(1024));
        QVERIFY(bytes.size() < 40);
    }
};

QTEST_APPLESS_MAIN(ModelTest)
#include "model_test.moc"
