#include "app/race/race_gate.h"

#include <QTest>

#include <atomic>
#include <thread>

using namespace tessera;

namespace {

class RaceGateTest : public QObject {
    Q_OBJECT

private slots:
    void openLetsWorkThrough();
    void holdingBreaksWorkOffAndTakesItAgain();
    void disturbedWorkThatDidNotStopIsTakenAgain();
    void pausedAndHeldAreApart();
    void cancellingEndsAWait();
    void errorsComeThrough();
};

void RaceGateTest::openLetsWorkThrough() {
    RaceGate gate;
    int calls = 0;
    gate.runUndisturbed({}, [&](const RunControl &control) {
        control.checkpoint();
        ++calls;
    });
    QCOMPARE(calls, 1);
    QVERIFY(!gate.closed());
}

void RaceGateTest::holdingBreaksWorkOffAndTakesItAgain() {
    RaceGate gate;
    std::atomic<int> calls = 0;
    std::jthread worker([&] {
        gate.runUndisturbed({}, [&](const RunControl &control) {
            if (calls.fetch_add(1) > 0)
                return;
            for (;;) { // a measurement that lasts until it is asked to stop
                control.checkpoint();
                std::this_thread::yield();
            }
        });
    });
    QVERIFY(QTest::qWaitFor([&] { return calls == 1; }));
    gate.setHeld(true);
    QTest::qWait(20);
    QCOMPARE(calls.load(), 1); // it waits outside
    gate.setHeld(false);
    QVERIFY(QTest::qWaitFor([&] { return calls == 2; }));
}

void RaceGateTest::disturbedWorkThatDidNotStopIsTakenAgain() {
    RaceGate gate;
    int calls = 0;
    gate.runUndisturbed({}, [&](const RunControl &) {
        if (++calls == 1) { // a library's call does not look at its control
            gate.setHeld(true);
            gate.setHeld(false);
        }
    });
    QCOMPARE(calls, 2);
}

void RaceGateTest::pausedAndHeldAreApart() {
    RaceGate gate;
    gate.setHeld(true);
    gate.setPaused(true);
    gate.setHeld(false);
    QVERIFY(gate.closed());
    gate.setPaused(false);
    QVERIFY(!gate.closed());
}

void RaceGateTest::cancellingEndsAWait() {
    RaceGate gate;
    gate.setPaused(true);
    std::stop_source stop;
    std::atomic<bool> cancelled = false;
    std::jthread worker([&] {
        try {
            gate.runUndisturbed({stop.get_token(), {}}, [](const RunControl &) {});
        } catch (const Error &error) {
            cancelled = error.kind() == ErrorKind::Cancelled;
        }
    });
    stop.request_stop();
    QVERIFY(QTest::qWaitFor([&] { return cancelled.load(); }));
}

void RaceGateTest::errorsComeThrough() {
    RaceGate gate;
    QVERIFY_EXCEPTION_THROWN(
        gate.runUndisturbed({}, [](const RunControl &) { throw Error(ErrorKind::Device, "lost"); }), Error);
}

} // namespace

QTEST_GUILESS_MAIN(RaceGateTest)
#include "race_gate_test.moc"
