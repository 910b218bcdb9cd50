// Faults that people make in kernels, each planted once into a copy of a kernel: the simulator must find it, or the
// result must differ from the reference, whatever the order in which the threads run. The copies without a fault are
// clean, right, and the originals access for access.
#include "gpu/launch/convolution.h"
#include "gpu/sim/sim_launcher.h"
#include "tests/sim/aligned_row.h"
#include "tests/sim/mutant_kernels.h"

#include <QtTest>

#include <cmath>
#include <functional>
#include <random>

using namespace tessera;
using namespace tessera::sim;
using mutants::Plant;

namespace {

struct Outcome {
    SimulationReport report;
    bool right = false; // equal to the reference
};

// 45x21 pixels: blocks of 32x8 have threads to spare along both axes. An odd kernel that is not symmetric.
constexpr Extent pictureSize{45, 21};
constexpr int gap = 3; // floats after a row: 48, so that rows are 16-byte aligned

Taps lopsided() {
    Taps taps{};
    taps.width = 5;
    taps.height = 3;
    taps.anchorX = 2;
    taps.anchorY = 1;
    for (int i = 0; i < taps.count(); ++i)
        taps.value[i] = float(1 + i * i % 7);
    return taps;
}

// Small integers: every order of additions gives the same sums, exactly.
float pictureValue(int x, int y) { return float((x * 7 + y * 13) % 11); }

float expectedAt(const Taps &taps, int x, int y) {
    float sum = 0;
    for (int v = 0; v < taps.height; ++v)
        for (int u = 0; u < taps.width; ++u) {
            const int px = std::clamp(x + u - taps.anchorX, 0, pictureSize.x - 1);
            const int py = std::clamp(y + v - taps.anchorY, 0, pictureSize.y - 1);
            sum += taps.at(u, v) * pictureValue(px, py);
        }
    return sum;
}

template <class Kernel>
Outcome convolve(KernelVariant variant, ThreadOrder order, int rowGap = gap, bool floorGrid = false,
                 Taps taps = lopsided()) {
    const int rowFloats = pictureSize.x + rowGap;
    AlignedRow<float> source(rowFloats * pictureSize.y), target(rowFloats * pictureSize.y);
    std::fill_n(target.data, rowFloats * pictureSize.y, std::nanf("")); // poison
    for (int y = 0; y < pictureSize.y; ++y)
        for (int x = 0; x < pictureSize.x; ++x)
            source.data[y * rowFloats + x] = pictureValue(x, y);
    ConvolutionRequest request;
    request.source = {source.data, pictureSize.x, pictureSize.y, std::ptrdiff_t(4) * rowFloats, ScalarType::F32, 1};
    request.target = {target.data, pictureSize.x, pictureSize.y, std::ptrdiff_t(4) * rowFloats, ScalarType::F32, 1};
    request.border = {BorderMode::Replicate, 0.0};
    request.taps = &taps;
    LaunchPlan plan = planConvolution(variant, shapeOf(request), {}).plan;
    if (floorGrid)
        plan.grid = {pictureSize.x / plan.tile().x, pictureSize.y / plan.tile().y};

    RecordingLauncher launcher(order);
    launcher.launch(plan, Kernel{typedOperands<mutants::Grey, mutants::Grey>(request)});
    Outcome outcome{launcher.report(), true};
    for (int y = 0; y < pictureSize.y; ++y)
        for (int x = 0; x < pictureSize.x; ++x)
            outcome.right = outcome.right && target.data[y * rowFloats + x] == expectedAt(taps, x, y);
    return outcome;
}

// The largest of 200 negative values by blocks of 96 threads: three warps each, the last block not full.
template <Plant plant> Outcome largest(ThreadOrder order) {
    AlignedRow<float> values(200), target(3);
    for (int i = 0; i < 200; ++i)
        values.data[i] = -1.0f - float(i * 71 % 200);
    // The largest of each block stands in a lane that only the first offsets reach.
    values.data[20] = values.data[96 + 52] = values.data[2 * 96 + 7] = -0.5f;
    LaunchPlan plan;
    plan.grid = {3, 1};
    plan.block = {96, 1};
    plan.sharedBytes = warpSize_ * sizeof(float);
    RecordingLauncher launcher(order);
    launcher.launch(plan, mutants::Largest<plant>{values.constant(), target.view()});
    return {launcher.report(), std::all_of(target.data, target.data + 3, [](float value) { return value == -0.5f; })};
}

template <Plant plant> Outcome countLevels(ThreadOrder order) {
    AlignedRow<std::uint8_t> source(1000);
    AlignedRow<unsigned long long> counts(256);
    std::vector<unsigned long long> expected(256, 0);
    std::mt19937 random(3);
    for (int i = 0; i < 1000; ++i)
        ++expected[source.data[i] = std::uint8_t(random() % 64)];
    LaunchPlan plan;
    plan.grid = {1, 1};
    plan.block = {64, 1};
    plan.sharedBytes = 256 * sizeof(unsigned);
    RecordingLauncher launcher(order);
    launcher.launch(plan, mutants::CountLevels<plant>{source.constant(), counts.view()});
    return {launcher.report(), std::equal(expected.begin(), expected.end(), counts.data)};
}

// How a mutant is found.
enum class Found { WrongResult, OutOfBounds, Unaligned, Race, UninitialisedShared };

bool found(const Outcome &outcome, Found how) {
    if (how == Found::WrongResult)
        return !outcome.right;
    const FaultKind kind = how == Found::OutOfBounds ? FaultKind::OutOfBounds
                           : how == Found::Unaligned ? FaultKind::Unaligned
                           : how == Found::Race      ? FaultKind::Race
                                                     : FaultKind::UninitialisedShared;
    return std::any_of(outcome.report.faults.begin(), outcome.report.faults.end(),
                       [&](const Fault &fault) { return fault.kind == kind; });
}

struct Mutant {
    const char *name;
    Found how;
    std::function<Outcome(ThreadOrder)> run;
};

template <Plant plant> Outcome naive(ThreadOrder order) {
    return convolve<mutants::Naive<plant>>(KernelVariant::Naive, order);
}
template <Plant plant> Outcome tiled(ThreadOrder order) {
    return convolve<mutants::Tiled<plant>>(KernelVariant::Tiled, order);
}
template <Plant plant, int rowGap = gap> Outcome vector(ThreadOrder order) {
    return convolve<mutants::NaiveVector<plant>>(KernelVariant::NaiveFloat4, order, rowGap);
}

const std::vector<Mutant> &allMutants() {
    static const std::vector<Mutant> list{
        {"floor instead of ceiling division", Found::WrongResult,
         [](ThreadOrder order) {
             return convolve<mutants::Naive<Plant::Nothing>>(KernelVariant::Naive, order, gap, true);
         }},
        {"no bounds check", Found::OutOfBounds, naive<Plant::NoBoundsCheck>},
        {"taps' indices swapped", Found::WrongResult, naive<Plant::SwappedTaps>},
        {"picture's indices swapped", Found::WrongResult, naive<Plant::SwappedPicture>},
        {"output's indices swapped", Found::OutOfBounds, naive<Plant::SwappedTarget>},
        {"no barrier after staging", Found::Race, tiled<Plant::NoBarrier>},
        {"halo a column too small", Found::UninitialisedShared, tiled<Plant::HaloTooSmall>},
        {"halo a column too far", Found::WrongResult, tiled<Plant::HaloShifted>},
        {"rows of the footprint overlap", Found::Race, tiled<Plant::WrongRowLength>},
        {"threads without output load nothing", Found::UninitialisedShared, tiled<Plant::IdleThreadsLoadNothing>},
        {"float4 on unaligned rows", Found::Unaligned, vector<Plant::NoAlignmentCheck, 2>},
        {"float4 from any column", Found::Unaligned, vector<Plant::NoGroupAlignment>},
        {"float4 over the row's end", Found::OutOfBounds, vector<Plant::NoTailCheck>},
        {"0 as the identity of a maximum", Found::WrongResult, largest<Plant::ZeroAsIdentity>},
        {"no barrier between the warps' results and their sum", Found::Race, largest<Plant::NoBarrierAfterScratch>},
        {"results of warps that are not there", Found::UninitialisedShared, largest<Plant::AllScratchRead>},
        {"shuffles that begin at offset 8", Found::WrongResult, largest<Plant::HalfTheOffsets>},
        {"counters without atomics", Found::Race, countLevels<Plant::PlainInsteadOfAtomic>},
        {"counters that nobody cleared", Found::UninitialisedShared, countLevels<Plant::CountersNotCleared>},
    };
    return list;
}

constexpr std::pair<ThreadOrder, const char *> orders[] = {
    {ThreadOrder::Forward, "forward"}, {ThreadOrder::Backward, "backward"}, {ThreadOrder::Shuffled, "shuffled"}};

// What the sites did, kind by kind, without where they stand.
std::vector<std::tuple<AccessKind, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>>
accessesOf(const SimulationReport &report) {
    std::vector<std::tuple<AccessKind, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>> all;
    for (const SiteCounts &site : report.sites)
        all.emplace_back(site.kind, site.accesses, site.requests, site.sectors, site.wavefronts);
    std::sort(all.begin(), all.end());
    return all;
}

void addOrders() {
    for (int i = 0; i < int(allMutants().size()); ++i)
        for (const auto &[order, name] : orders)
            QTest::addRow("%s, %s", allMutants()[std::size_t(i)].name, name) << i << int(order);
}

} // namespace

class MutantsTest : public QObject {
    Q_OBJECT

private slots:
    void everyMutantIsFound_data() {
        QTest::addColumn<int>("mutant");
        QTest::addColumn<int>("order");
        addOrders();
    }
    void everyMutantIsFound() {
        QFETCH(int, mutant);
        QFETCH(int, order);
        const Mutant &planted = allMutants()[std::size_t(mutant)];
        QVERIFY(found(planted.run(ThreadOrder(order)), planted.how));
    }

    void originalsAreClean_data() {
        QTest::addColumn<int>("order");
        for (const auto &[order, name] : orders)
            QTest::newRow(name) << int(order);
    }
    void originalsAreClean() {
        QFETCH(int, order);
        const auto in = ThreadOrder(order);
        for (const Outcome &outcome :
             {naive<Plant::Nothing>(in), tiled<Plant::Nothing>(in), vector<Plant::Nothing>(in),
              vector<Plant::Nothing, 2>(in), largest<Plant::Nothing>(in), countLevels<Plant::Nothing>(in),
              convolve<NaiveConvolve<mutants::Grey, mutants::Grey>>(KernelVariant::Naive, in),
              convolve<TiledConvolve<mutants::Grey, mutants::Grey>>(KernelVariant::Tiled, in),
              convolve<NaiveVectorConvolve<mutants::Grey, mutants::Grey>>(KernelVariant::NaiveFloat4, in),
              convolve<TiledVectorConvolve<mutants::Grey, mutants::Grey>>(KernelVariant::TiledFloat4, in)}) {
            QCOMPARE(outcome.report.faultCount, 0u);
            QVERIFY(outcome.right);
        }
    }

    void copiesAreTheOriginals() {
        const auto in = ThreadOrder::Forward;
        QVERIFY(accessesOf(naive<Plant::Nothing>(in).report) ==
                accessesOf(convolve<NaiveConvolve<mutants::Grey, mutants::Grey>>(KernelVariant::Naive, in).report));
        QVERIFY(accessesOf(tiled<Plant::Nothing>(in).report) ==
                accessesOf(convolve<TiledConvolve<mutants::Grey, mutants::Grey>>(KernelVariant::Tiled, in).report));
        QVERIFY(
            accessesOf(vector<Plant::Nothing>(in).report) ==
            accessesOf(
                convolve<NaiveVectorConvolve<mutants::Grey, mutants::Grey>>(KernelVariant::NaiveFloat4, in).report));
    }
};

QTEST_APPLESS_MAIN(MutantsTest)
#include "mutants_test.moc"
