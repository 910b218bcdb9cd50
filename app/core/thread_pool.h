// The one thread pool of the program. Every parallel loop runs on it, so that filters, statistics and files share the
// processor's cores instead of fighting over them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tessera {

class ThreadPool {
public:
    // The pool of the process, made on first use with availableCores() threads.
    static ThreadPool &shared();

    // `threads` counts the calling thread: a pool of 1 runs everything on the caller.
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool &) = delete;
    ThreadPool &operator=(const ThreadPool &) = delete;

    unsigned threads() const { return unsigned(workers_.size()) + 1; }

    // How many threads may compute at once: workers of the pool and threads in a Seat together. At first threads().
    void setBudget(unsigned threads);

    // A thread that computes on its own account (decodes a file, say) sits in one meanwhile: of the budget, workers of
    // the pool use only what the seats leave. A worker over the budget leaves its loop at the next index.
    class Seat {
    public:
        explicit Seat(ThreadPool &pool) : pool_(pool) { pool_.seated_.fetch_add(1, std::memory_order_relaxed); }
        ~Seat() { pool_.leaveSeat(); }
        Seat(const Seat &) = delete;
        Seat &operator=(const Seat &) = delete;

    private:
        ThreadPool &pool_;
    };

    // Runs body(i) for every i in [0, count), in any order, on the caller and whichever workers are free; returns
    // when all are done. May be called from several threads at once and from inside a body. Once a body has thrown no
    // new index starts, and the first exception is rethrown.
    void parallelFor(std::size_t count, const std::function<void(std::size_t)> &body);

private:
    struct Loop;

    void work();
    void awaitArrival(unsigned known) const;
    void help(Loop &loop);
    static bool runIndex(Loop &loop); // false: no index is left
    Loop *findWaitingLoop();
    unsigned seatsLeft() const;
    void leaveSeat();

    std::mutex mutex_;
    std::condition_variable wake_; // a loop was added, or the pool ends
    std::condition_variable done_; // a worker left a loop
    std::vector<Loop *> loops_;
    std::vector<std::thread> workers_;
    std::atomic<bool> ending_{false};
    std::atomic<unsigned> arrivals_{0}; // loops that were added
    std::atomic<unsigned> budget_, seated_{0}, helping_{0};
};

// The cores this process may use: its affinity mask, and the CPU quota of its container where there is one.
unsigned availableCores();

} // namespace tessera
