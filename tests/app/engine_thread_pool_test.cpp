// The thread pool: every index once, nested and concurrent loops, exceptions.
#include "app/core/thread_pool.h"

#include <QTest>

#include <atomic>
#include <stdexcept>

using namespace tessera;

class EngineThreadPoolTest : public QObject {
    Q_OBJECT

private slots:
    void runsEveryIndexOnce_data();
    void runsEveryIndexOnce();
    void nests();
    void servesSeveralCallers();
    void rethrowsAndGoesOn();
    void countsCores();
};

void EngineThreadPoolTest::runsEveryIndexOnce_data() {
    QTest::addColumn<unsigned>("threads");
    QTest::addColumn<int>("count");
    for (const unsigned threads : {1u, 2u, 5u})
        for (const int count : {0, 1, 2, 3, 1000})
            QTest::addRow("%u threads, %d", threads, count) << threads << count;
}

void EngineThreadPoolTest::runsEveryIndexOnce() {
    QFETCH(unsigned, threads);
    QFETCH(int, count);
    ThreadPool pool(threads);
    QCOMPARE(pool.threads(), threads);
    for (int round = 0; round < 50; ++round) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
        pool.parallelFor(std::size_t(count), [&](std::size_t i) { ++seen[i]; });
        for (const auto &times : seen)
            QCOMPARE(times.load(), 1);
    }
}

void EngineThreadPoolTest::nests() {
    ThreadPool pool(3);
    std::atomic<int> sum{0};
    pool.parallelFor(20, [&](std::size_t) { pool.parallelFor(30, [&](std::size_t) { ++sum; }); });
    QCOMPARE(sum.load(), 600);
}

void EngineThreadPoolTest::servesSeveralCallers() {
    ThreadPool pool(3);
    std::atomic<int> sum{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < 6; ++i)
        callers.emplace_back([&] {
            for (int round = 0; round < 100; ++round)
                pool.parallelFor(17, [&](std::size_t) { ++sum; });
        });
    for (std::thread &caller : callers)
        caller.join();
    QCOMPARE(sum.load(), 6 * 100 * 17);
}

void EngineThreadPoolTest::rethrowsAndGoesOn() {
    ThreadPool pool(3);
    std::atomic<int> started{0};
    QVERIFY_EXCEPTION_THROWN(pool.parallelFor(100000,
                                              [&](std::size_t i) {
                                                  ++started;
                                                  if (i == 10)
                                                      throw std::runtime_error("ten");
                                              }),
                             std::runtime_error);
    QVERIFY(started < 100000);
    std::atomic<int> sum{0};
    pool.parallelFor(10, [&](std::size_t) { ++sum; });
    QCOMPARE(sum.load(), 10);
}

void EngineThreadPoolTest::countsCores() {
    QVERIFY(availableCores() >= 1);
    QCOMPARE(ThreadPool::shared().threads(), availableCores());
}

QTEST_GUILESS_MAIN(EngineThreadPoolTest)
#include "engine_thread_pool_test.moc"
