// The reduction ladder in the simulator (C-7): right, and as divergent, conflicting and synchronised as closed forms
// say.
#include "gpu/launch/lesson_dispatch.h"
#include "tests/sim/ladder_support.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::sim;

namespace {

// Predictions for one full block of `threads`. In round s of V0 a warp diverges where it holds some multiples of 2 s
// but not only them; in V1 and V2 where the working threads end inside it.
int divergentWarps(int step, int threads) {
    int divergent = 0;
    for (int s = 1; s < threads; s *= 2) {
        const int working = threads / (2 * s);
        if (step == 0)
            divergent += 2 * s <= warpSize_ ? threads / warpSize_ : working;
        else if (step <= 3)
            divergent += (step == 1 ? working : s) % warpSize_ != 0;
    }
    return divergent;
}

// Only V1's lanes lie further apart than a word: 2 s words, so that 32 / gcd(2 s, 32) banks serve them. Two loads and a
// store a folding.
int bankConflicts(int step, int threads) {
    int conflicts = 0;
    for (int s = 1; s < threads && step == 1; s *= 2) {
        const int working = threads / (2 * s);
        const int lanes = std::min(working, warpSize_);
        const int banks = std::max(1, warpSize_ / (2 * s));
        conflicts += 3 * ceilDivide(working, warpSize_) * (ceilDivide(lanes, banks) - 1);
    }
    return conflicts;
}

int rounds(int threads) { return std::countr_zero(unsigned(threads)); }

// One for the staging, then one a round: all, or those that leave more than 64 values.
int barriers(int step, int threads) { return 1 + (step <= 3 ? rounds(threads) : rounds(threads) - 6); }

// Adds up ones.
template <int step> SimulationReport oneBlock(int threads) {
    const int elements = step < 3 ? threads : step < 7 ? 2 * threads : 16 * threads;
    Array<float> source(elements, 0), partial(1, 0);
    for (std::size_t i = 0; i < source.size(); ++i)
        source[i] = 1.0f;
    const auto report = record(rowOfBlocks(1, threads, ladderSharedBytes(threads)),
                               ladderKernel<step, Add>({source.constRow(), partial.row()}));
    if (partial[0] != float(elements))
        throw std::runtime_error("V" + std::to_string(step) + " adds up to " + std::to_string(partial[0]));
    return report;
}

// Runs f<step>() with a number known at run time.
template <class Function> auto forStep(int step, Function function) {
    switch (step) {
    case 0:
        return function(std::integral_constant<int, 0>{});
    case 1:
        return function(std::integral_constant<int, 1>{});
    case 2:
        return function(std::integral_constant<int, 2>{});
    case 3:
        return function(std::integral_constant<int, 3>{});
    case 4:
        return function(std::integral_constant<int, 4>{});
    case 5:
        return function(std::integral_constant<int, 5>{});
    case 6:
        return function(std::integral_constant<int, 6>{});
    default:
        return function(std::integral_constant<int, 7>{});
    }
}

// The block that a kernel sees, with one kind of barrier taken away.
enum class Missing { Barrier, WarpBarrier };
template <class Block, Missing missing> struct Crippled {
    Block &block;
    Extent index() const { return block.index(); }
    Extent grid() const { return block.grid(); }
    int threads() const { return block.threads(); }
    template <class T> auto shared(int count) { return block.template shared<T>(count); }
    template <class T> auto perThread(T value) { return block.perThread(value); }
    template <class Function> void each(Function function) { block.each(function); }
    template <class Function> void phase(Function function) {
        missing == Missing::Barrier ? block.each(function) : block.phase(function);
    }
    template <class Function> void warpPhase(Function function) {
        missing == Missing::WarpBarrier ? block.each(function) : block.warpPhase(function);
    }
    template <class Value> auto shuffleDown(const Value &value, int offset) { return block.shuffleDown(value, offset); }
};
template <class Kernel, Missing missing> struct Mutant {
    Kernel kernel;
    template <class Block> void operator()(Block &block) const {
        Crippled<Block, missing> crippled{block};
        kernel(crippled);
    }
};

// A maximum whose idle lanes hold 0 (C-2c).
struct MaximumFromZero {
    template <class T> static constexpr T identity() { return T(0); }
    template <class T> T operator()(T a, T b) const { return Maximum{}(a, b); }
};

// The values of eight lanes after each exchange.
struct EightLanes {
    ImageView<float> rounds; // 8 wide, 3 high
    template <class Block> void operator()(Block &block) const {
        auto value = block.perThread(0.0f);
        block.each([&](auto thread) { value[thread] = float(thread.index + 1); });
        int round = 0;
        for (int lanes = 8; lanes > 1; lanes /= 2, ++round) {
            const auto other = block.shuffleDown(value, lanes / 2);
            block.each([&](auto thread) {
                value[thread] += other[thread];
                thread.store(rounds, thread.index, round, value[thread]);
            });
        }
    }
};
struct EightLanesAtOnce {
    ImageView<float> result;
    template <class Block> void operator()(Block &block) const {
        auto value = block.perThread(0.0f);
        block.each([&](auto thread) { value[thread] = float(thread.index + 1); });
        warpReduce(block, value, Add{}, 8);
        block.each([&](auto thread) { thread.store(result, thread.index, 0, value[thread]); });
    }
};

} // namespace

class LadderTest : public QObject {
    Q_OBJECT

private slots:
    void predictions_data() {
        QTest::addColumn<int>("step");
        QTest::addColumn<int>("threads");
        for (const int threads : {64, 128, 256, 512, 1024})
            for (int step = 0; step < 5; ++step)
                QTest::addRow("C-7 V%d, %d threads", step, threads) << step << threads;
        for (int step = 5; step < 8; ++step)
            QTest::addRow("C-7 V%d, 256 threads", step) << step << 256;
    }
    void predictions() {
        QFETCH(int, step);
        QFETCH(int, threads);
        const auto report = forStep(step, [&](auto which) { return oneBlock<which>(threads); });
        const auto warps = std::uint64_t(threads / warpSize_);
        QCOMPARE(report.faultCount, 0u);
        QCOMPARE(report.divergentBranches, std::uint64_t(divergentWarps(step, threads)));
        QCOMPARE(report.bankConflicts(), std::uint64_t(bankConflicts(step, threads)));
        QCOMPARE(report.barriers, std::uint64_t(barriers(step, threads)));
        QCOMPARE(report.warpBarriers, step == 4 || step == 5 ? 11 * warps : 0u); // two a round, one before
        QCOMPARE(report.shuffles, step >= 6 ? 5 * warps : 0u);
        const auto loads = report.total(AccessKind::GlobalLoad, &SiteCounts::accesses);
        QCOMPARE(loads, std::uint64_t(threads) * (step < 3 ? 1 : step < 7 ? 2 : 4));
        const auto sectors = report.total(AccessKind::GlobalLoad, &SiteCounts::sectors);
        QCOMPARE(sectors, report.total(AccessKind::GlobalLoad, &SiteCounts::bytes) / 32);
    }

    // C-2b: eight warps, eight rounds.
    void divergenceOf256Threads() {
        QCOMPARE(oneBlock<0>(256).divergentBranches, 47u);
        QCOMPARE(oneBlock<2>(256).divergentBranches, 5u);
        QCOMPARE(bankConflicts(1, 256), 105);
    }

    // C-2c: lanes out of range hold what changes nothing. With another value the answer is wrong, and is seen to be.
    void identityOfTheMaximum() {
        Array<float> source(1000, 0), right(4, 0), wrong(4, 0);
        fillWithReals(source, 31, -2.0f, -1.0f);
        const LaunchPlan plan = rowOfBlocks(4, 256, ladderSharedBytes(256));
        record(plan, ReduceSequential<Maximum>{{source.constRow(), right.row()}});
        record(plan, ReduceSequential<MaximumFromZero>{{source.constRow(), wrong.row()}});
        const float largest = *std::max_element(source.data(), source.data() + 1000);
        QCOMPARE(*std::max_element(right.data(), right.data() + 4), largest);
        QCOMPARE(*std::max_element(wrong.data(), wrong.data() + 4), 0.0f);
        QVERIFY(largest < 0.0f);
    }

    void takenAwayBarriersAreFound_data() {
        QTest::addColumn<int>("step");
        for (int step = 0; step < 8; ++step)
            QTest::addRow("V%d", step) << step;
    }
    void takenAwayBarriersAreFound() {
        QFETCH(int, step);
        Array<float> source(4096, 0), partial(1, 0);
        fillWithIntegers(source, 32);
        const LaunchPlan plan = rowOfBlocks(1, 256, ladderSharedBytes(256));
        forStep(step, [&](auto which) {
            const auto kernel = ladderKernel<which, Add>({source.constRow(), partial.row()});
            using Kernel = std::remove_const_t<decltype(kernel)>;
            for (const ThreadOrder order : allOrders) {
                QCOMPARE(record(plan, kernel, order).faultCount, 0u);
                QVERIFY(found(record(plan, Mutant<Kernel, Missing::Barrier>{kernel}, order), FaultKind::Race));
                const bool lastWarpInMemory = which == 4 || which == 5;
                QCOMPARE(found(record(plan, Mutant<Kernel, Missing::WarpBarrier>{kernel}, order), FaultKind::Race),
                         lastWarpInMemory);
            }
        });
    }

    void everyStepAddsUpOneTo32() { // B-5.3.1
        for (const SimLesson &lesson : lessons()) {
            if (lesson.info->group != LessonGroup::ArraySum)
                continue;
            Array<float> source(32, 0), result(1, 0);
            for (std::size_t i = 0; i < 32; ++i)
                source[i] = float(i + 1);
            LessonOperands operands;
            operands.first = source.data();
            operands.target = result.data();
            operands.count = 32;
            RecordingLauncher launcher;
            lesson.launch(operands, launcher);
            QCOMPARE(result[0], 528.0f);
            QCOMPARE(launcher.report().faultCount, 0u); // A-q5: lanes 32 to 255 take part with the identity
        }
    }

    void eightLanesInThreeExchanges() { // B-q3
        Array<float> rounds(24, 0), result(8, 0);
        const auto report = record(rowOfBlocks(1, 8), EightLanes{{rounds.data(), 8, 3, 32}});
        QCOMPARE(report.shuffles, 3u);
        const std::vector<std::vector<float>> expected{{6, 8, 10, 12}, {16, 20}, {36}};
        for (std::size_t round = 0; round < 3; ++round)
            for (std::size_t lane = 0; lane < expected[round].size(); ++lane)
                QCOMPARE(rounds[round * 8 + lane], expected[round][lane]);
        QCOMPARE(record(rowOfBlocks(1, 8), EightLanesAtOnce{result.row()}).shuffles, 3u);
        QCOMPARE(result[0], 36.0f);
    }

    void plansCoverTheArray() {
        const DeviceLimits limits;
        for (int step = 0; step < 8; ++step) {
            const std::int64_t count = 200'000;
            const LaunchPlan first = planReduction(step, count, limits);
            QVERIFY(first.grid.x > 1);
            const std::int64_t covered = first.threads() * (step < 3 ? 1 : 2);
            QVERIFY(step == 7 || (covered >= count && covered - count < covered / first.grid.x));
        }
        QCOMPARE(planReduction(7, std::int64_t(1) << 28, limits).grid.x, 40 * 8);
        QCOMPARE(planReduction(0, 0, limits).grid.x, 1);
    }
};

QTEST_APPLESS_MAIN(LadderTest)
#include "ladder_test.moc"
