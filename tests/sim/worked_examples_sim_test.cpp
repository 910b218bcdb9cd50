// Examples worked out by hand elsewhere, run through kernels in the simulator. Each row carries the example's id;
// tests/worked_examples lists them all.
#include "gpu/kernels/reduce.h"
#include "gpu/sim/convolution_simulation.h"
#include "tests/sim/aligned_row.h"

#include <QtTest>

#include <memory>
#include <numeric>

using namespace tessera;
using namespace tessera::sim;

namespace {

constexpr ThreadOrder orders[] = {ThreadOrder::Forward, ThreadOrder::Backward, ThreadOrder::Shuffled};

LaunchPlan blocksOf(int threads, int blocks = 1, std::size_t sharedBytes = 0) {
    LaunchPlan plan;
    plan.grid = {blocks, 1};
    plan.block = {threads, 1};
    plan.sharedBytes = sharedBytes;
    return plan;
}

template <class Kernel> SimulationReport record(const LaunchPlan &plan, const Kernel &kernel, ThreadOrder order) {
    RecordingLauncher launcher(order);
    launcher.launch(plan, kernel);
    return launcher.report();
}

bool found(const SimulationReport &report, FaultKind kind) {
    return std::any_of(report.faults.begin(), report.faults.end(),
                       [&](const Fault &fault) { return fault.kind == kind; });
}

std::uint64_t loads(const SimulationReport &report) {
    return report.total(AccessKind::GlobalLoad, &SiteCounts::accesses);
}

// A convolution of one float channel. Rows of both pictures are `gap` floats longer than the picture.
struct Convolved {
    std::vector<float> output;
    SimulationReport report;
};

Convolved convolve(KernelVariant variant, const std::vector<float> &picture, Extent size, const Taps &taps,
                   ThreadOrder order, bool insideOnly = false, std::optional<Extent> block = std::nullopt,
                   int gap = 0) {
    AlignedRow<float> source((size.x + gap) * size.y);
    for (int y = 0; y < size.y; ++y)
        std::copy_n(picture.data() + y * size.x, size.x, source.data + y * (size.x + gap));
    const Extent out = insideOnly ? Extent{size.x - taps.width + 1, size.y - taps.height + 1} : size;
    AlignedRow<float> target((out.x + gap) * out.y);
    std::fill_n(target.data, (out.x + gap) * out.y, std::nanf("")); // poison
    ConvolutionRequest request;
    request.source = {source.data, size.x, size.y, std::ptrdiff_t(4) * (size.x + gap), ScalarType::F32, 1};
    request.target = {target.data, out.x, out.y, std::ptrdiff_t(4) * (out.x + gap), ScalarType::F32, 1};
    request.originX = insideOnly ? taps.anchorX : 0;
    request.originY = insideOnly ? taps.anchorY : 0;
    request.border = {BorderMode::Zero, 0.0};
    request.taps = &taps;
    LaunchPlan plan = planConvolution(variant, shapeOf(request), {}).plan;
    if (block) {
        plan.block = *block;
        plan.grid = {ceilDivide(out.x, block->x), ceilDivide(out.y, block->y)};
    }
    Convolved result;
    result.report = simulateConvolution(plan, request, order).report;
    for (int y = 0; y < out.y; ++y)
        result.output.insert(result.output.end(), target.data + y * (out.x + gap),
                             target.data + y * (out.x + gap) + out.x);
    return result;
}

Taps tapsOf(int side, const std::vector<float> &values) {
    Taps taps{};
    taps.width = taps.height = side;
    taps.anchorX = taps.anchorY = side / 2;
    std::copy(values.begin(), values.end(), taps.value);
    return taps;
}

Taps checkers() { return tapsOf(3, {1, 0, 1, 0, 1, 0, 1, 0, 1}); }

std::vector<float> counting(int count) {
    std::vector<float> values(std::size_t(count), 0.0f);
    std::iota(values.begin(), values.end(), 1.0f);
    return values;
}

// ---- kernels ----

// Stages values and reads the neighbours', with or without the barrier between.
struct StageAndRead {
    ImageView<float> target;
    bool barrier;
    template <class Block> void operator()(Block &block) const {
        auto tile = block.template shared<float>(block.threads());
        const auto stage = [&](auto thread) { thread.store(tile, thread.index, float(thread.index)); };
        if (barrier)
            block.phase(stage);
        else
            block.each(stage);
        block.each([&](auto thread) {
            thread.store(target, thread.index, 0, thread.load(tile, (thread.index + 1) % block.threads()));
        });
    }
};

// Adds `count` values over lanes with shuffle-down; lanes beyond hold 0, or leave early before the shuffle, which ends
// that phase for them and nothing else. Every round's values are kept.
struct AddLanes {
    ImageView<const float> values;
    ImageView<float> rounds; // a row a round
    int lanes;
    bool leaveEarly;
    template <class Block> void operator()(Block &block) const {
        auto value = block.perThread(0.0f);
        block.each([&](auto thread) {
            if (leaveEarly && thread.index >= values.width)
                return;
            value[thread] = thread.index < values.width ? thread.load(values, thread.index, 0) : 0.0f;
        });
        int round = 0;
        for (int offset = lanes / 2; offset > 0; offset /= 2, ++round) {
            const auto other = block.shuffleDown(value, offset);
            block.each([&](auto thread) {
                value[thread] += other[thread];
                thread.store(rounds, thread.index, round, value[thread]);
            });
        }
    }
};

// Sums a value of each lane twice: with shuffle-down by the product's own warpReduce, and with the xor butterfly.
struct AddWarps {
    ImageView<const float> values;
    ImageView<float> down, butterfly;
    template <class Block> void operator()(Block &block) const {
        auto a = block.perThread(0.0f);
        auto b = block.perThread(0.0f);
        block.each([&](auto thread) { a[thread] = b[thread] = thread.load(values, thread.index, 0); });
        warpReduce(block, a, Add{});
        for (int mask = 16; mask > 0; mask /= 2) {
            const auto other = block.shuffleXor(b, mask);
            block.each([&](auto thread) { b[thread] += other[thread]; });
        }
        block.each([&](auto thread) {
            thread.store(down, thread.index, 0, a[thread]);
            thread.store(butterfly, thread.index, 0, b[thread]);
        });
    }
};

struct LanesAboveTen {
    ImageView<unsigned> mask;
    template <class Block> void operator()(Block &block) const {
        auto above = block.perThread(false);
        block.each([&](auto thread) { above[thread] = thread.lane > 10; });
        const auto votes = block.ballot(above);
        block.each([&](auto thread) { thread.store(mask, thread.index, 0, votes[thread]); });
    }
};

struct TwoWays {
    int boundary;
    template <class Block> void operator()(Block &block) const {
        block.each([&](auto thread) { thread.branch(thread.index < boundary); });
    }
};

// The largest of `values`, where threads beyond them hold `identity`.
struct LargestOfBlock {
    ImageView<const float> values;
    ImageView<float> target;
    float identity;
    template <class Block> void operator()(Block &block) const {
        auto value = block.perThread(identity);
        const int i0 = block.index().x * block.threads();
        block.each([&](auto thread) {
            if (i0 + thread.index < values.width)
                value[thread] = thread.load(values, i0 + thread.index, 0);
        });
        auto scratch = block.template shared<float>(warpSize_);
        blockReduce(block, value, scratch, identity, Maximum{});
        block.each([&](auto thread) {
            if (thread.index == 0)
                thread.store(target, block.index().x, 0, value[thread]);
        });
    }
};

// c = a + b, one element a thread or in steps of the whole grid.
struct AddElements {
    ImageView<const float> a, b;
    ImageView<float> c;
    bool gridStride;
    template <class Block> void operator()(Block &block) const {
        const int step = block.grid().x * block.threads();
        block.each([&](auto thread) {
            const int first = block.index().x * block.threads() + thread.index;
            for (int i = first; i < c.width; i += step) {
                thread.store(c, i, 0, thread.load(a, i, 0) + thread.load(b, i, 0));
                if (!gridStride)
                    return;
            }
        });
    }
};

// C = A B, one thread an output, from global memory or through tiles as wide as the block.
struct MultiplyMatrices {
    ImageView<const float> a, b;
    ImageView<float> c;
    bool tiled;
    template <class Block> void operator()(Block &block) const {
        const int tile = block.size().x;
        const int x0 = block.index().x * tile, y0 = block.index().y * tile;
        auto sum = block.perThread(0.0f);
        if (!tiled) {
            block.each([&](auto thread) {
                for (int k = 0; k < a.width; ++k)
                    sum[thread] += thread.load(a, k, y0 + thread.y) * thread.load(b, x0 + thread.x, k);
            });
        } else {
            auto tileA = block.template shared<float>(tile * tile);
            auto tileB = block.template shared<float>(tile * tile);
            for (int k0 = 0; k0 < a.width; k0 += tile) {
                block.phase([&](auto thread) {
                    thread.store(tileA, thread.index, thread.load(a, k0 + thread.x, y0 + thread.y));
                    thread.store(tileB, thread.index, thread.load(b, x0 + thread.x, k0 + thread.y));
                });
                block.phase([&](auto thread) {
                    for (int k = 0; k < tile; ++k)
                        sum[thread] +=
                            thread.load(tileA, thread.y * tile + k) * thread.load(tileB, k * tile + thread.x);
                });
            }
        }
        block.each([&](auto thread) { thread.store(c, x0 + thread.x, y0 + thread.y, sum[thread]); });
    }
};

// A test of one row, so that its id is a data tag like the others.
void single(const char *id) {
    QTest::addColumn<int>("row");
    QTest::newRow(id) << 0;
}

} // namespace

class WorkedExamplesSimTest : public QObject {
    Q_OBJECT

private slots:
    void fourByFour_data() {
        QTest::addColumn<int>("variant");
        for (const KernelVariant variant : kernelVariants) {
            const char *name = kernelVariantName(variant).data();
            QTest::addRow("A-18.3.1 values, A-18.3.3: %s", name) << int(variant);
        }
    }
    void fourByFour() {
        QFETCH(int, variant);
        for (const ThreadOrder order : orders) {
            const auto inside = convolve(KernelVariant(variant), counting(16), {4, 4}, checkers(), order, true);
            QCOMPARE(inside.output, (std::vector<float>{30, 35, 50, 55}));
            QCOMPARE(inside.report.faultCount, 0u);
            const auto same = convolve(KernelVariant(variant), counting(16), {4, 4}, checkers(), order);
            QCOMPARE(same.output.size(), std::size_t(16));
            QCOMPARE(same.output[3], 11.0f); // output (0, 3), row and column
            QCOMPARE(same.output[5], 30.0f); // output (1, 1)
            QCOMPARE(same.report.faultCount, 0u);
        }
    }

    void readsOfTheFourByFour_data() {
        QTest::addColumn<bool>("tiled");
        QTest::addColumn<bool>("insideOnly");
        QTest::addColumn<int>("block");
        QTest::addColumn<int>("reads");
        QTest::newRow("A-18.3.1") << false << true << 2 << 36;
        QTest::newRow("A-18.3.2") << true << true << 4 << 16; // 16 threads load, 4 compute
        QTest::newRow("A-18.3.3 naive") << false << false << 4 << 100;
        QTest::newRow("A-18.3.3 tiled") << true << false << 4 << 16;
    }
    void readsOfTheFourByFour() {
        QFETCH(bool, tiled);
        QFETCH(bool, insideOnly);
        QFETCH(int, block);
        QFETCH(int, reads);
        const auto variant = tiled ? KernelVariant::Tiled : KernelVariant::Naive;
        for (const ThreadOrder order : orders) {
            const auto result =
                convolve(variant, counting(16), {4, 4}, checkers(), order, insideOnly, Extent{block, block});
            QCOMPARE(loads(result.report), std::uint64_t(reads));
            QCOMPARE(result.report.threads, std::uint64_t(block * block));
            QCOMPARE(result.report.total(AccessKind::GlobalStore, &SiteCounts::accesses),
                     std::uint64_t(insideOnly ? 4 : 16));
            QCOMPARE(result.output[insideOnly ? 0 : 5], 30.0f);
        }
    }

    // An impulse in each cell in turn: the outputs it reaches are those that read the cell.
    void readsOfEachCell_data() { single("A-18.3.1 cell by cell"); }
    void readsOfEachCell() {
        const Taps ones = tapsOf(3, std::vector<float>(9, 1.0f));
        for (int cell = 0; cell < 16; ++cell) {
            std::vector<float> impulse(16, 0.0f);
            impulse[std::size_t(cell)] = 1.0f;
            const auto result = convolve(KernelVariant::Naive, impulse, {4, 4}, ones, ThreadOrder::Forward, true);
            const bool insideX = cell % 4 == 1 || cell % 4 == 2;
            const bool insideY = cell / 4 == 1 || cell / 4 == 2;
            QCOMPARE(std::count(result.output.begin(), result.output.end(), 1.0f),
                     std::ptrdiff_t((insideX ? 2 : 1) * (insideY ? 2 : 1)));
        }
    }

    void withoutTheBarrier_data() { single("A-q3"); }
    void withoutTheBarrier() {
        for (const ThreadOrder order : orders) {
            AlignedRow<float> target(64);
            QVERIFY(found(record(blocksOf(64, 1, 256), StageAndRead{target.view(), false}, order), FaultKind::Race));
            QCOMPARE(record(blocksOf(64, 1, 256), StageAndRead{target.view(), true}, order).faultCount, 0u);
            QCOMPARE(target.data[62], 63.0f);
        }
    }

    // Lanes 28 to 31 have no element and return before the shuffle: the return leaves the phase only, all lanes meet in
    // the shuffle, and those without an element hold the identity.
    void leavingBeforeAShuffle_data() {
        QTest::addColumn<bool>("leaveEarly");
        QTest::newRow("A-q5 returns before the shuffle") << true;
        QTest::newRow("A-q5 holds the identity") << false;
    }
    void leavingBeforeAShuffle() {
        QFETCH(bool, leaveEarly);
        for (const ThreadOrder order : orders) {
            AlignedRow<float> values(28);
            std::iota(values.data, values.data + 28, 1.0f);
            AlignedRow<float> rounds(32 * 5);
            const ImageView<float> view{rounds.data, 32, 5, 128};
            const auto report = record(blocksOf(32), AddLanes{values.constant(), view, 32, leaveEarly}, order);
            QCOMPARE(report.faultCount, 0u);
            QCOMPARE(report.shuffles, 5u);
            QCOMPARE(rounds.data[4 * 32], 28.0f * 29 / 2);
        }
    }

    void eightLanes_data() {
        QTest::addColumn<int>("lanes");
        QTest::addColumn<int>("exchanges");
        QTest::newRow("A-18.4.1, B-q3: 8 lanes") << 8 << 3;
        QTest::newRow("A-18.4.1: 32 lanes") << 32 << 5;
    }
    void eightLanes() {
        QFETCH(int, lanes);
        QFETCH(int, exchanges);
        for (const ThreadOrder order : orders) {
            AlignedRow<float> values(lanes);
            std::iota(values.data, values.data + lanes, 1.0f);
            AlignedRow<float> rounds(lanes * exchanges);
            const ImageView<float> view{rounds.data, lanes, exchanges, std::ptrdiff_t(4) * lanes};
            const auto report = record(blocksOf(lanes), AddLanes{values.constant(), view, lanes, false}, order);
            QCOMPARE(report.shuffles, std::uint64_t(exchanges));
            QCOMPARE(rounds.data[lanes * (exchanges - 1)], float(lanes * (lanes + 1) / 2));
            if (lanes != 8)
                continue;
            QCOMPARE(std::vector<float>(rounds.data, rounds.data + 4), (std::vector<float>{6, 8, 10, 12}));
            QCOMPARE(std::vector<float>(rounds.data + 8, rounds.data + 10), (std::vector<float>{16, 20}));
            QCOMPARE(rounds.data[16], 36.0f);
        }
    }
    void offsetsOfEightLanes_data() { single("B-q3"); }
    void offsetsOfEightLanes() { // steps 4, 2, 1: after the last, lane 0 alone has the sum
        AlignedRow<float> values(8), rounds(8 * 3);
        std::iota(values.data, values.data + 8, 1.0f);
        record(blocksOf(8), AddLanes{values.constant(), {rounds.data, 8, 3, 32}, 8, false}, ThreadOrder::Forward);
        QCOMPARE(rounds.data[0], 1.0f + 5.0f);    // offset 4
        QCOMPARE(rounds.data[8], 6.0f + 10.0f);   // offset 2
        QCOMPARE(rounds.data[16], 16.0f + 20.0f); // offset 1
        QVERIFY(rounds.data[17] != 36.0f);
    }

    // 1024 floats under a kernel of one tap: a copy, by single floats and by four at once.
    void vectorLoads_data() {
        QTest::addColumn<int>("variant");
        QTest::addColumn<int>("accesses");
        QTest::addColumn<int>("bytes");
        QTest::newRow("B-5.2.1 scalar") << int(KernelVariant::Naive) << 1024 << 4;
        QTest::newRow("B-5.2.1 float4") << int(KernelVariant::NaiveFloat4) << 256 << 16;
    }
    void vectorLoads() {
        QFETCH(int, variant);
        QFETCH(int, accesses);
        QFETCH(int, bytes);
        const auto result =
            convolve(KernelVariant(variant), counting(1024), {1024, 1}, tapsOf(1, {2.0f}), ThreadOrder::Forward);
        QCOMPARE(result.report.faultCount, 0u);
        for (const AccessKind kind : {AccessKind::GlobalLoad, AccessKind::GlobalStore}) {
            QCOMPARE(result.report.total(kind, &SiteCounts::accesses), std::uint64_t(accesses));
            QCOMPARE(result.report.total(kind, &SiteCounts::bytes), std::uint64_t(accesses * bytes));
        }
        QCOMPARE(result.output[1023], 2048.0f);
    }

    // Rows of 61 floats in steps of 62 are never 16-byte aligned together: the scalar path, and no fault.
    void unalignedVectors_data() {
        QTest::addColumn<int>("variant");
        QTest::newRow("B-5.2 naive-float4") << int(KernelVariant::NaiveFloat4);
        QTest::newRow("B-5.2 tiled-float4") << int(KernelVariant::TiledFloat4);
    }
    void unalignedVectors() {
        QFETCH(int, variant);
        for (const ThreadOrder order : orders) {
            const auto expected =
                convolve(KernelVariant::Naive, counting(61 * 7), {61, 7}, checkers(), ThreadOrder::Forward);
            const auto result =
                convolve(KernelVariant(variant), counting(61 * 7), {61, 7}, checkers(), order, false, {}, 1);
            QCOMPARE(result.report.faultCount, 0u);
            QCOMPARE(result.output, expected.output);
            for (const SiteCounts &site : result.report.sites)
                if (isGlobal(site.kind))
                    QCOMPARE(site.bytes, 4 * site.accesses); // nothing wider than a float
        }
    }

    void sumsOfAWarp_data() {
        QTest::addColumn<int>("warps");
        QTest::newRow("B-5.3.1") << 1;
        QTest::newRow("C-2") << 5;
    }
    void sumsOfAWarp() {
        QFETCH(int, warps);
        for (const ThreadOrder order : orders) {
            const int threads = 32 * warps;
            AlignedRow<float> values(threads), down(threads), butterfly(threads);
            std::iota(values.data, values.data + threads, 1.0f);
            const AddWarps kernel{values.constant(), down.view(), butterfly.view()};
            const auto report = record(blocksOf(threads), kernel, order);
            QCOMPARE(report.faultCount, 0u);
            QCOMPARE(report.shuffles, std::uint64_t(10 * warps)); // offsets 16, 8, 4, 2, 1, twice
            for (int warp = 0; warp < warps; ++warp) {
                const float sum = std::accumulate(values.data + 32 * warp, values.data + 32 * (warp + 1), 0.0f);
                QCOMPARE(down.data[32 * warp], warp == 0 ? 528.0f : sum);
                QVERIFY(down.data[32 * warp + 1] != sum); // in lane 0 only
                // The last lane's sources all lie beyond the warp: it keeps its own value and doubles it five times.
                QCOMPARE(down.data[32 * warp + 31], 32 * values.data[32 * warp + 31]);
                for (int lane = 0; lane < 32; ++lane)
                    QCOMPARE(butterfly.data[32 * warp + lane], sum); // in every lane
            }
        }
    }

    void votes_data() { single("B-5.4.1"); }
    void votes() {
        AlignedRow<unsigned> mask(32);
        record(blocksOf(32), LanesAboveTen{mask.view()}, ThreadOrder::Shuffled);
        for (int lane = 0; lane < 32; ++lane)
            QCOMPARE(mask.data[lane], 0xFFFFF800u);
        QCOMPARE(std::popcount(mask.data[0]), 21);
    }

    void twoWays_data() { single("B-5.1"); }
    void twoWays() { QCOMPARE(record(blocksOf(8), TwoWays{4}, ThreadOrder::Forward).divergentBranches, 1u); }

    void pairsOfHalves_data() { single("B-5.5.1"); }
    void pairsOfHalves() {
        const Half2 sum = add(Half2(Half(1.5f), Half(2.5f)), Half2(Half(10.0f), Half(20.0f)));
        QCOMPARE(float(sum.low), 11.5f);
        QCOMPARE(float(sum.high), 22.5f);
        QCOMPARE(sizeof(Half2), std::size_t(4));
    }

    void thousandElements_data() {
        QTest::addColumn<int>("blocks");
        QTest::addColumn<int>("threads");
        QTest::addColumn<bool>("gridStride");
        QTest::newRow("C-1 a thread an element") << 4 << 256 << false;
        QTest::newRow("C-1 grid stride") << 2 << 128 << true;
    }
    void thousandElements() {
        QFETCH(int, blocks);
        QFETCH(int, threads);
        QFETCH(bool, gridStride);
        if (!gridStride) {
            QVERIFY(planElements(1000, threads) == blocksOf(threads, blocks));
            QCOMPARE(planElements(1000, threads).idleThreads(1000, 1), std::int64_t(24));
        }
        for (const ThreadOrder order : orders) {
            AlignedRow<float> a(1000), b(1000), c(1000);
            for (int i = 0; i < 1000; ++i) {
                a.data[i] = float(i);
                b.data[i] = float(3 * i + 1);
            }
            const AddElements kernel{a.constant(), b.constant(), c.view(), gridStride};
            const auto report = record(blocksOf(threads, blocks), kernel, order);
            QCOMPARE(report.faultCount, 0u);
            QCOMPARE(report.total(AccessKind::GlobalStore, &SiteCounts::accesses), 1000u);
            for (int i = 0; i < 1000; ++i)
                QCOMPARE(c.data[i], float(4 * i + 1));
        }
    }

    void identityOfAMaximum_data() {
        QTest::addColumn<float>("identity");
        QTest::addColumn<bool>("right");
        QTest::newRow("C-2c minus infinity") << -std::numeric_limits<float>::infinity() << true;
        QTest::newRow("C-2c zero") << 0.0f << false;
    }
    void identityOfAMaximum() {
        QFETCH(float, identity);
        QFETCH(bool, right);
        AlignedRow<float> values(1000), partial(4);
        for (int i = 0; i < 1000; ++i)
            values.data[i] = -2.0f + float(i * 37 % 1000) / 1000.0f;
        const float largest = *std::max_element(values.data, values.data + 1000);
        QVERIFY(largest < -1.0f);
        const LargestOfBlock kernel{values.constant(), partial.view(), identity};
        QCOMPARE(record(blocksOf(256, 4, 128), kernel, ThreadOrder::Backward).faultCount, 0u);
        const float result = *std::max_element(partial.data, partial.data + 4);
        QCOMPARE(result, right ? largest : 0.0f);
        QCOMPARE(ChannelTotals<float>::lowest(), -std::numeric_limits<float>::infinity()); // what the product takes
    }

    void matrixProduct_data() {
        QTest::addColumn<bool>("tiled");
        QTest::addColumn<int>("reads");
        QTest::newRow("C-5 naive") << false << 2 * 16 * 24 * 32;
        QTest::newRow("C-5 tiles of 8x8") << true << 2 * 16 * 24 * 32 / 8;
    }
    void matrixProduct() {
        QFETCH(bool, tiled);
        QFETCH(int, reads);
        constexpr int m = 16, n = 24, k = 32;
        AlignedRow<float> a(m * k), b(k * n), c(m * n);
        for (int i = 0; i < m * k; ++i)
            a.data[i] = float(i % 7);
        for (int i = 0; i < k * n; ++i)
            b.data[i] = float(i % 5);
        LaunchPlan plan;
        plan.grid = {n / 8, m / 8};
        plan.block = {8, 8};
        plan.sharedBytes = 2 * 64 * sizeof(float);
        const MultiplyMatrices kernel{{a.data, k, m, k * 4}, {b.data, n, k, n * 4}, {c.data, n, m, n * 4}, tiled};
        const auto report = record(plan, kernel, ThreadOrder::Shuffled);
        QCOMPARE(report.faultCount, 0u);
        QCOMPARE(loads(report), std::uint64_t(reads));
        for (int y = 0; y < m; ++y)
            for (int x = 0; x < n; ++x) {
                float expected = 0;
                for (int i = 0; i < k; ++i)
                    expected += a.data[y * k + i] * b.data[i * n + x];
                QCOMPARE(c.data[y * n + x], expected);
            }
    }
};

QTEST_APPLESS_MAIN(WorkedExamplesSimTest)
#include "worked_examples_sim_test.moc"
