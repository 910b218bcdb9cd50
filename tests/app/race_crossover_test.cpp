#include "app/race/crossover_file.h"

#include <QTest>

using namespace tessera;

namespace {

CrossoverTime time(const char *variant, double ms, double spread, std::optional<double> kernel = {}) {
    CrossoverTime made{variant, 9, ms, {ms - spread, ms + spread}, kernel, {}};
    if (kernel)
        made.kernel = bench::Interval{*kernel * 0.99, *kernel * 1.01};
    return made;
}

CrossoverPlan small() {
    CrossoverPlan plan;
    plan.kernels = {3, 7};
    plan.pictures = {16, 40};
    plan.samples = 3;
    plan.secondsPerVariant = 10;
    return plan;
}

class RaceCrossoverTest : public QObject {
    Q_OBJECT

private slots:
    void theFastestWins();
    void overlapsAreTies();
    void scopesMayDisagree();
    void measuresEveryCell();
    void goesOnWhereItWasStopped();
    void readsBackWhatItWrote();
    void refusesWhatIsNoMap();
    void keptMapsHoldForTheSameMachine();
};

void RaceCrossoverTest::theFastestWins() {
    const auto winner =
        winnerOf({3, 64, {time("a", 2, 0.1), time("b", 1, 0.1), time("c", 4, 0.1)}}, CrossoverScope::Call);
    QVERIFY(winner);
    QCOMPARE(winner->variant, std::string("b"));
    QCOMPARE(winner->lead, 2.0);
    QVERIFY(winner->tieWith.empty());
    QVERIFY(!winnerOf({3, 64, {}}, CrossoverScope::Call));
    QCOMPARE(winnerOf({3, 64, {time("a", 2, 0.1)}}, CrossoverScope::Call)->lead, 1.0);
}

void RaceCrossoverTest::overlapsAreTies() {
    const auto winner = winnerOf({3, 64, {time("a", 1.1, 0.1), time("b", 1, 0.1)}}, CrossoverScope::Call);
    QCOMPARE(winner->variant, std::string("b"));
    QCOMPARE(winner->tieWith, std::vector<std::string>{"a"});
}

// A GPU whose kernel is faster may lose by its transfers.
void RaceCrossoverTest::scopesMayDisagree() {
    const CrossoverCell cell{3, 64, {time("gpu", 2, 0.1, 0.1), time("cpu", 1, 0.1, 1.0), time("library", 0.9, 0.01)}};
    QCOMPARE(winnerOf(cell, CrossoverScope::Call)->variant, std::string("library"));
    QCOMPARE(winnerOf(cell, CrossoverScope::Kernel)->variant, std::string("gpu")); // the library's is not known
}

void RaceCrossoverTest::measuresEveryCell() {
    for (const CrossoverKernels kind : {CrossoverKernels::Dense, CrossoverKernels::Separable}) {
        CrossoverPlan plan = small();
        plan.kind = kind;
        CrossoverMap map = emptyCrossover(plan, "1");
        QVERIFY(!map.complete());
        RaceGate gate;
        int changes = 0;
        measureCrossover(map, gate, {}, [&](const CrossoverMap &) { ++changes; });
        QCOMPARE(changes, 4);
        QVERIFY(map.complete());
        QCOMPARE(map.at(1, 0).kernel, 7);
        QCOMPARE(map.at(1, 0).picture, 16);
        for (const CrossoverCell &cell : map.cells)
            for (const CrossoverTime &one : cell.times) {
                QCOMPARE(one.samples, 3);
                QVERIFY(one.callMs > 0);
            }
        QVERIFY(std::ranges::any_of(map.cells.front().times,
                                    [](const CrossoverTime &one) { return one.variant == "cpu"; }));
    }
}

void RaceCrossoverTest::goesOnWhereItWasStopped() {
    CrossoverMap map = emptyCrossover(small(), "1");
    RaceGate gate;
    std::stop_source stop;
    try {
        measureCrossover(map, gate, {stop.get_token(), {}}, [&](const CrossoverMap &) { stop.request_stop(); });
        QFAIL("was not stopped");
    } catch (const Error &error) {
        QVERIFY(error.kind() == ErrorKind::Cancelled);
    }
    QVERIFY(!map.cells[0].times.empty());
    QVERIFY(map.cells[1].times.empty());
    const CrossoverCell first = map.cells[0];
    measureCrossover(map, gate, {}, [](const CrossoverMap &) {});
    QVERIFY(map.complete());
    QVERIFY(map.cells[0] == first); // measured once
}

void RaceCrossoverTest::readsBackWhatItWrote() {
    CrossoverMap map = emptyCrossover(small(), "1.2");
    map.cells[2].times = {time("a", 0.1 + 0.2, 0.01, 1.0 / 3), time("b", 2, 0.5)};
    const CrossoverMap read = parseCrossover(formatCrossover(map), "memory");
    QVERIFY(read == map);
}

void RaceCrossoverTest::refusesWhatIsNoMap() {
    CrossoverMap map = emptyCrossover(small(), "1");
    std::string text = formatCrossover(map);
    map.cells.pop_back();
    for (const std::string &wrong : {std::string(), std::string("{"), std::string("{}"), std::string("[1]"),
                                     formatCrossover(map), text.substr(0, 200)})
        QVERIFY_EXCEPTION_THROWN(parseCrossover(wrong, "x.json"), Error);
}

void RaceCrossoverTest::keptMapsHoldForTheSameMachine() {
    const CrossoverMap map = emptyCrossover(small(), "1");
    QVERIFY(stillHolds(map, emptyCrossover(small(), "1")));
    QVERIFY(!stillHolds(map, emptyCrossover(small(), "2")));
    QVERIFY(!stillHolds(map, emptyCrossover({}, "1")));
    CrossoverMap other = map;
    other.devices = {"another processor"};
    QVERIFY(!stillHolds(other, map));
}

} // namespace

QTEST_GUILESS_MAIN(RaceCrossoverTest)
#include "race_crossover_test.moc"
