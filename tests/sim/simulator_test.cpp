// What the simulator must find and count, shown on small kernels with planted faults.
#include "gpu/sim/sim_launcher.h"

#include <QtTest>

using namespace tessera;
using namespace tessera::sim;

namespace {

constexpr LaunchPlan oneBlock(int threads, std::size_t sharedBytes = 0) {
    LaunchPlan plan;
    plan.grid = {1, 1};
    plan.block = {threads, 1};
    plan.sharedBytes = sharedBytes;
    return plan;
}

template <class Kernel>
SimulationReport record(const LaunchPlan &plan, const Kernel &kernel, ThreadOrder order = ThreadOrder::Forward) {
    RecordingLauncher launcher(order);
    launcher.launch(plan, kernel);
    return launcher.report();
}

bool found(const SimulationReport &report, FaultKind kind) {
    return std::any_of(report.faults.begin(), report.faults.end(),
                       [&](const Fault &fault) { return fault.kind == kind; });
}

// Reads source[stride * lane].
struct StridedRead {
    ImageView<const float> source;
    ImageView<float> target;
    int stride;
    template <class Block> void operator()(Block &block) const {
        block.each(
            [&](auto thread) { thread.store(target, thread.index, 0, thread.load(source, thread.index * stride, 0)); });
    }
};

// Writes shared[stride * lane], then reads it back.
struct StridedShared {
    int stride;
    int count;
    template <class Block> void operator()(Block &block) const {
        auto words = block.template shared<float>(count);
        block.each([&](auto thread) { thread.store(words, thread.index * stride % count, 1.0f); });
    }
};

// Each thread writes a word and reads its neighbour's; the barrier between is left out on request (A-q3).
struct Neighbour {
    ImageView<float> target;
    bool barrier;
    template <class Block> void operator()(Block &block) const {
        auto words = block.template shared<float>(block.threads());
        const auto write = [&](auto thread) { thread.store(words, thread.index, float(thread.index)); };
        if (barrier)
            block.phase(write);
        else
            block.each(write);
        block.each([&](auto thread) {
            thread.store(target, thread.index, 0, thread.load(words, (thread.index + 1) % block.threads()));
        });
    }
};

struct ReadsUnwritten {
    ImageView<float> target;
    template <class Block> void operator()(Block &block) const {
        auto words = block.template shared<float>(64);
        block.phase([&](auto thread) { thread.store(words, thread.index, 1.0f); });
        block.each([&](auto thread) { thread.store(target, thread.index, 0, thread.load(words, thread.index + 1)); });
    }
};

struct NoBoundsCheck {
    ImageView<float> target;
    template <class Block> void operator()(Block &block) const {
        block.each(
            [&](auto thread) { thread.store(target, block.index().x * block.threads() + thread.index, 0, 1.0f); });
    }
};

struct MisalignedVector {
    ImageView<const float> source;
    ImageView<float> target;
    template <class Block> void operator()(Block &block) const {
        block.each([&](auto thread) {
            const auto four = thread.template loadVector<Pixel<float, 4>>(source, thread.index * 4 + 1, 0);
            thread.store(target, thread.index, 0, four.channel[0]);
        });
    }
};

struct AllWriteOne {
    ImageView<float> target;
    template <class Block> void operator()(Block &block) const {
        block.each([&](auto thread) { thread.store(target, 0, 0, float(thread.index)); });
    }
};

struct Diverging {
    int boundary;
    template <class Block> void operator()(Block &block) const {
        block.each([&](auto thread) {
            if (thread.branch(thread.index < boundary))
                return;
        });
    }
};

// Lane i hands its word to lane i + offset of the block (round and round): within a warp where the offset is small.
struct HandOn {
    ImageView<float> target;
    int offset;
    bool warpBarrier;
    template <class Block> void operator()(Block &block) const {
        auto words = block.template shared<float>(block.threads());
        const auto write = [&](auto thread) { thread.store(words, thread.index, float(thread.index)); };
        if (warpBarrier)
            block.warpPhase(write);
        else
            block.each(write);
        block.each([&](auto thread) {
            const int warp = thread.index - thread.lane;
            const int from = offset < warpSize_ ? warp + (thread.lane + offset) % warpSize_
                                                : (thread.index + offset) % block.threads();
            thread.store(target, thread.index, 0, thread.load(words, from));
        });
    }
};

// Every lane reads its neighbour's word and then overwrites its own; the words are shared out by a block's barrier.
struct ReadThenOverwrite {
    ImageView<float> target;
    bool warpBarrier;
    template <class Block> void operator()(Block &block) const {
        auto words = block.template shared<float>(block.threads());
        auto value = block.perThread(0.0f);
        block.phase([&](auto thread) { thread.store(words, thread.index, float(thread.index)); });
        const auto read = [&](auto thread) { value[thread] = thread.load(words, thread.index ^ 1); };
        if (warpBarrier)
            block.warpPhase(read);
        else
            block.each(read);
        block.each([&](auto thread) {
            thread.store(words, thread.index, value[thread]);
            thread.store(target, thread.index, 0, value[thread]);
        });
    }
};

// All lanes of the first warp read one word, in one step or in two; then the second thread of warp `writer` writes it.
struct ManyReaders {
    int writer;
    bool warpBarrier;
    template <class Block> void operator()(Block &block) const {
        auto words = block.template shared<float>(1);
        block.phase([&](auto thread) {
            if (thread.index == 0)
                thread.store(words, 0, 1.0f);
        });
        for (int half = 0; half < 2; ++half) {
            const auto read = [&](auto thread) {
                if (thread.warp == 0 && thread.lane % 2 == half)
                    static_cast<void>(thread.load(words, 0));
            };
            if (warpBarrier)
                block.warpPhase(read);
            else
                block.each(read);
        }
        block.each([&](auto thread) {
            if (thread.warp == writer && thread.lane == 1)
                thread.store(words, 0, 2.0f);
        });
    }
};

// Ballot, shuffle-down and xor sums of lane values.
struct WarpOperations {
    ImageView<unsigned> mask;
    ImageView<float> down, butterfly;
    template <class Block> void operator()(Block &block) const {
        auto above = block.perThread(false);
        auto a = block.perThread(0.0f);
        auto b = block.perThread(0.0f);
        block.each([&](auto thread) {
            above[thread] = thread.lane > 10;
            a[thread] = b[thread] = float(thread.index + 1);
        });
        const auto votes = block.ballot(above);
        for (int offset = 16; offset > 0; offset /= 2) {
            const auto fromBelow = block.shuffleDown(a, offset);
            const auto fromOther = block.shuffleXor(b, offset);
            block.each([&](auto thread) {
                a[thread] += fromBelow[thread];
                b[thread] += fromOther[thread];
            });
        }
        block.each([&](auto thread) {
            thread.store(mask, thread.index, 0, votes[thread]);
            thread.store(down, thread.index, 0, a[thread]);
            thread.store(butterfly, thread.index, 0, b[thread]);
        });
    }
};

// Memory aligned as the device's is.
template <class T> struct Row {
    explicit Row(int n)
        : count(n), data(static_cast<T *>(::operator new[](sizeof(T) * std::size_t(n), std::align_val_t{256}))) {
        std::fill(data, data + n, T{});
    }
    ~Row() { ::operator delete[](data, std::align_val_t{256}); }
    Row(const Row &) = delete;
    ImageView<T> view() { return {data, count, 1, std::ptrdiff_t(sizeof(T)) * count}; }
    ImageView<const T> constant() { return {data, count, 1, std::ptrdiff_t(sizeof(T)) * count}; }
    int count;
    T *data;
};

} // namespace

class SimulatorTest : public QObject {
    Q_OBJECT

private slots:
    void sectorsOfStridedReads_data() { // C-3
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("sectors");
        QTest::newRow("C-3 consecutive") << 1 << 4;
        QTest::newRow("stride 2") << 2 << 8;
        QTest::newRow("stride 8") << 8 << 32;
        QTest::newRow("C-3 stride 32") << 32 << 32;
        QTest::newRow("all the same") << 0 << 1;
    }
    void sectorsOfStridedReads() {
        QFETCH(int, stride);
        QFETCH(int, sectors);
        Row<float> source(1024), target(32);
        const auto report = record(oneBlock(32), StridedRead{source.constant(), target.view(), stride});
        QCOMPARE(report.total(AccessKind::GlobalLoad, &SiteCounts::requests), 1u);
        QCOMPARE(report.total(AccessKind::GlobalLoad, &SiteCounts::sectors), std::uint64_t(sectors));
        QCOMPARE(report.faultCount, 0u);
    }

    void bankConflicts_data() { // C-3b
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("wavefronts");
        QTest::newRow("consecutive") << 1 << 1;
        QTest::newRow("C-3b column of a 32-wide array") << 32 << 32;
        QTest::newRow("C-3b padded to 33") << 33 << 1;
        QTest::newRow("stride 2") << 2 << 2;
        QTest::newRow("C-3b one word for all") << 0 << 1;
    }
    void bankConflicts() {
        QFETCH(int, stride);
        QFETCH(int, wavefronts);
        const auto report = record(oneBlock(32, 33 * 32 * 4), StridedShared{stride, 33 * 32});
        QCOMPARE(report.total(AccessKind::SharedStore, &SiteCounts::wavefronts), std::uint64_t(wavefronts));
    }

    void missingBarrierIsARace() { // A-q3
        Row<float> target(64);
        for (const auto order : {ThreadOrder::Forward, ThreadOrder::Backward, ThreadOrder::Shuffled}) {
            QVERIFY(found(record(oneBlock(64, 256), Neighbour{target.view(), false}, order), FaultKind::Race));
            const auto good = record(oneBlock(64, 256), Neighbour{target.view(), true}, order);
            QCOMPARE(good.faultCount, 0u);
            QCOMPARE(good.barriers, 1u);
            QCOMPARE(target.data[3], 4.0f);
        }
    }

    // A warp's barrier orders its own lanes, and nothing beyond them.
    void warpBarriersOrderOneWarp() {
        Row<float> target(64);
        for (const auto order : {ThreadOrder::Forward, ThreadOrder::Backward, ThreadOrder::Shuffled}) {
            const auto good = record(oneBlock(64, 256), HandOn{target.view(), 1, true}, order);
            QCOMPARE(good.faultCount, 0u);
            QCOMPARE(good.warpBarriers, 2u);
            QCOMPARE(good.barriers, 0u);
            QCOMPARE(target.data[63], 32.0f);
            QVERIFY(found(record(oneBlock(64, 256), HandOn{target.view(), 1, false}, order), FaultKind::Race));
            QVERIFY(found(record(oneBlock(64, 256), HandOn{target.view(), 32, true}, order), FaultKind::Race));

            QCOMPARE(record(oneBlock(64, 256), ReadThenOverwrite{target.view(), true}, order).faultCount, 0u);
            QVERIFY(found(record(oneBlock(64, 256), ReadThenOverwrite{target.view(), false}, order), FaultKind::Race));

            QCOMPARE(record(oneBlock(64, 4), ManyReaders{0, true}, order).faultCount, 0u);
            QVERIFY(found(record(oneBlock(64, 4), ManyReaders{0, false}, order), FaultKind::Race));
            QVERIFY(found(record(oneBlock(64, 4), ManyReaders{1, true}, order), FaultKind::Race));
        }
    }

    void launchesAreOrdered() { // two launches may write one place
        Row<float> target(32);
        RecordingLauncher launcher;
        Row<float> source(32);
        for (int i = 0; i < 2; ++i)
            launcher.launch(oneBlock(32), StridedRead{source.constant(), target.view(), 1});
        LaunchPlan twoBlocks = oneBlock(1);
        twoBlocks.grid = {2, 1};
        QCOMPARE(launcher.report().faultCount, 0u);
        QVERIFY(found(record(twoBlocks, AllWriteOne{target.view()}), FaultKind::Race));
    }

    void findsFaults() {
        Row<float> source(300), target(100);
        QVERIFY(found(record(oneBlock(32, 256), ReadsUnwritten{target.view()}), FaultKind::UninitialisedShared));
        QVERIFY(found(record(oneBlock(128), NoBoundsCheck{target.view()}), FaultKind::OutOfBounds));
        QVERIFY(found(record(oneBlock(32), MisalignedVector{source.constant(), target.view()}), FaultKind::Unaligned));
        QVERIFY(found(record(oneBlock(32), AllWriteOne{target.view()}), FaultKind::Race));
        const auto report = record(oneBlock(128), NoBoundsCheck{target.view()});
        QCOMPARE(report.faults.size(), std::size_t(1)); // one line, one entry
        QCOMPARE(report.faultCount, 28u);
        QVERIFY(report.faults[0].file.find("simulator_test.cpp") != std::string::npos && report.faults[0].line > 0);
        QVERIFY(report.faults[0].what.find("thread 100") != std::string::npos);
    }

    void divergence() { // B-5.1
        QCOMPARE(record(oneBlock(8), Diverging{4}).divergentBranches, 1u);
        QCOMPARE(record(oneBlock(64), Diverging{32}).divergentBranches, 0u);
        QCOMPARE(record(oneBlock(64), Diverging{33}).divergentBranches, 1u);
    }

    void warpOperations() { // B-5.3.1, B-5.4.1, C-2
        Row<unsigned> mask(64);
        Row<float> down(64), butterfly(64);
        const auto report = record(oneBlock(64), WarpOperations{mask.view(), down.view(), butterfly.view()});
        QCOMPARE(report.faultCount, 0u);
        QCOMPARE(mask.data[0], 0xFFFFF800u);
        QCOMPARE(std::popcount(mask.data[0]), 21);
        QCOMPARE(down.data[0], 528.0f);
        QVERIFY(down.data[1] != 528.0f); // the sum is in lane 0 only
        for (int i = 0; i < 32; ++i)
            QCOMPARE(butterfly.data[i], 528.0f);
        QCOMPARE(butterfly.data[63], float((33 + 64) * 16));
        QCOMPARE(report.shuffles, std::uint64_t(2 * 2 * 5)); // two kinds, two warps, five rounds
        QCOMPARE(report.votes, 2u);
    }
};

QTEST_APPLESS_MAIN(SimulatorTest)
#include "simulator_test.moc"
