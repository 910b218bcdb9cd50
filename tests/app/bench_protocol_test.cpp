// Who is run when, with contenders whose times are made up.
#include "app/bench/protocol.h"

#include <QtTest>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>

using namespace tessera::bench;

namespace {

struct Journal {
    std::vector<std::string> order; // of timed runs
    std::vector<int> rotations;     // of all runs
    int untimed = 0;
};

class Made : public Contender {
public:
    Made(std::string called, Journal &journal, std::function<double(int)> time, int sets = 3)
        : Contender(std::move(called), "cpu", Scope::Call), journal_(journal), time_(std::move(time)), sets_(sets) {}

    Work work() const override { return {}; }
    CheckResult check() override { return {}; }
    int rotations() const override { return sets_; }
    void run(int rotation) override {
        journal_.rotations.push_back(rotation);
        ++journal_.untimed;
    }
    void finish() override {}
    double measure(int rotation) override {
        journal_.rotations.push_back(rotation);
        journal_.order.push_back(name);
        return time_(runs_++);
    }
    int runs() const { return runs_; }
    std::optional<double> clockMhz() const override { return clock ? std::optional(clock(runs_ - 1)) : std::nullopt; }

    std::function<double(int)> clock; // of each run

private:
    Journal &journal_;
    std::function<double(int)> time_;
    int sets_, runs_ = 0;
};

ProtocolSettings settings(int samples) {
    ProtocolSettings settings;
    settings.warmups = 4;
    settings.rule.samples = samples;
    return settings;
}

} // namespace

class BenchProtocolTest : public QObject {
    Q_OBJECT

private slots:
    void warmUpsAreNoSamples() {
        Journal journal;
        Made one("one", journal, [](int run) { return run < 4 ? 100.0 : 1.0; });
        Contender *contenders[] = {&one};
        const auto results = runContest(contenders, CacheState::Cold, settings(30));
        QCOMPARE(results.front().warmups, 4);
        QCOMPARE(results.front().samples, std::vector<double>(30, 1.0));
        QVERIFY(results.front().tight);
        QVERIFY(results.front().shortfall.empty());
    }

    // That of the samples, not of the warm-ups; none where the contender has none.
    void clocksAreMedians() {
        Journal journal;
        const auto steady = [](int) { return 1.0; };
        Made slow("slow", journal, steady), silent("silent", journal, steady);
        slow.clock = [](int run) { return run < 4 ? 3000.0 : 1700.0 + run; };
        Contender *contenders[] = {&slow, &silent};
        const auto results = runContest(contenders, CacheState::Cold, settings(31));
        QCOMPARE(results[0].clockMhz, std::optional<double>(1700.0 + 4 + 15));
        QVERIFY(!results[1].clockMhz);
    }

    void contendersTakeTurnsInChangingOrder() {
        Journal journal;
        const auto steady = [](int) { return 1.0; };
        Made a("a", journal, steady), b("b", journal, steady), c("c", journal, steady);
        Contender *contenders[] = {&a, &b, &c};
        runContest(contenders, CacheState::Cold, settings(50));
        const std::vector<std::string> timed(journal.order.begin() + 12, journal.order.end());
        QCOMPARE(timed.size(), std::size_t(150));
        std::set<std::vector<std::string>> orders;
        for (std::size_t round = 0; round < timed.size(); round += 3) {
            std::vector<std::string> order(timed.begin() + std::ptrdiff_t(round),
                                           timed.begin() + std::ptrdiff_t(round) + 3);
            orders.insert(order);
            std::ranges::sort(order);
            QCOMPARE(order, (std::vector<std::string>{"a", "b", "c"})); // each once a round
        }
        QVERIFY(orders.size() >= 4);
    }

    void coldRunsTakeTurnsOverTheBuffers() {
        Journal journal;
        const auto steady = [](int) { return 1.0; };
        Made a("a", journal, steady), b("b", journal, steady);
        Contender *contenders[] = {&a, &b};
        runContest(contenders, CacheState::Cold, settings(20));
        QCOMPARE(journal.untimed, 0);
        for (std::size_t i = 0; i < journal.rotations.size(); ++i)
            QCOMPARE(journal.rotations[i], int(i) % 3); // whoever runs: the buffers are shared
    }

    void hotRunsRepeatTheFirst() {
        Journal journal;
        Made one("one", journal, [](int) { return 1.0; });
        Contender *contenders[] = {&one};
        runContest(contenders, CacheState::Hot, settings(20));
        QCOMPARE(journal.untimed, one.runs()); // one before each
        for (const int rotation : journal.rotations)
            QCOMPARE(rotation, 0);
    }

    void samplingGoesOnUntilTheMedianIsSure() {
        Journal journal;
        Made noisy("noisy", journal, [](int run) { return run % 2 ? 1.0 : 2.0; });
        Made steady("steady", journal, [](int) { return 1.0; });
        Contender *contenders[] = {&noisy, &steady};
        const ProtocolSettings asked = settings(20);
        const auto results = runContest(contenders, CacheState::Cold, asked);
        QCOMPARE(results[0].samples.size(), std::size_t(asked.rule.samples * asked.rule.mostTimes));
        QCOMPARE(results[1].samples.size(), results[0].samples.size()); // the same company throughout
    }

    void whoseTimeIsUpLeaves() {
        Journal journal;
        Made slow("slow", journal, [](int) {
            QTest::qSleep(12);
            return 12.0;
        });
        Made quick("quick", journal, [](int) { return 1.0; });
        Contender *contenders[] = {&slow, &quick};
        ProtocolSettings asked = settings(40);
        asked.warmups = 1;
        asked.rule.budgetMs = 60;
        const auto results = runContest(contenders, CacheState::Cold, asked);
        QVERIFY(results[0].samples.size() >= 5 && results[0].samples.size() < 40);
        QVERIFY(QByteArray(results[0].shortfall.c_str()).contains("of 40 samples"));
        QCOMPARE(results[1].samples.size(), std::size_t(40));
        QVERIFY(results[1].shortfall.empty());
    }

    void aStopKeepsWhatIsThere() {
        Journal journal;
        int samples = 0;
        Made one("one", journal, [&](int) { return double(++samples); });
        Contender *contenders[] = {&one};
        const auto results = runContest(contenders, CacheState::Cold, settings(100), [&] { return samples >= 4 + 7; });
        QCOMPARE(results.front().samples.size(), std::size_t(7));
        QVERIFY(QByteArray(results.front().shortfall.c_str()).contains("interrupted"));
    }

    void oneThatThrowsLosesItsPlaceOnly() {
        Journal journal;
        Made broken("broken", journal, [](int run) -> double {
            if (run == 6)
                throw std::runtime_error("the device is gone");
            return 1.0;
        });
        Made steady("steady", journal, [](int) { return 1.0; });
        Contender *contenders[] = {&broken, &steady};
        const auto results = runContest(contenders, CacheState::Cold, settings(30));
        QCOMPARE(results[0].failure, std::string("the device is gone"));
        QCOMPARE(results[1].samples.size(), std::size_t(30));
        QVERIFY(results[1].failure.empty());
    }
};

QTEST_GUILESS_MAIN(BenchProtocolTest)
#include "bench_protocol_test.moc"
