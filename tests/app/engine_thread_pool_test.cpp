// The thread pool: every index once, nested and concurrent loops, exceptions.
#include "app/core/thread_pool.h"

#include <QTest>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

using namespace tessera;

class EngineThreadPoolTest : public QObject {
    Q_OBJECT

private slots:
    void runsEveryIndexOnce_data();
    void runsEveryIndexOnce();
    void nests();
    void servesSeveralCallers();
    void rethrowsAndGoesOn();
    void seatsAreKeptFree();
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

// Threads that sit compute on their own: with all seats of the budget taken, nobody helps the caller.
void EngineThreadPoolTest::seatsAreKeptFree() {
    ThreadPool pool(4);
    const auto helpersSeen = [&] {
        std::set<std::thread::id> seen;
        std::mutex mutex;
        pool.parallelFor(400, [&](std::size_t) {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            const std::lock_guard lock(mutex);
            seen.insert(std::this_thread::get_id());
        });
        return seen.size() - seen.count(std::this_thread::get_id());
    };
    QVERIFY(helpersSeen() >= 1);
    pool.setBudget(2);
    {
        const ThreadPool::Seat caller(pool);
        QVERIFY(helpersSeen() >= 1);
        const ThreadPool::Seat other(pool);
        QCOMPARE(helpersSeen(), std::size_t(0));
    }
    pool.setBudget(1);
    const ThreadPool::Seat caller(pool);
    QCOMPARE(helpersSeen(), std::size_t(0));
    pool.setBudget(4);
    QVERIFY(helpersSeen() >= 1);
}

void EngineThreadPoolTest::countsCores() {
    QVERIFY(availableCores() >= 1);
    QCOMPARE(ThreadPool::shared().threads(), availableCores());
}

QTEST_GUILESS_MAIN(EngineThreadPoolTest)
#include "engine_thread_pool_test.moc"
