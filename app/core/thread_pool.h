// The one thread pool of the program. Every parallel loop runs on it, so that filters, statistics and files share the
// processor's cores instead of fighting over them.
#pragma once

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

    // Runs body(i) for every i in [0, count), in any order, on the caller and whichever workers are free; returns
    // when all are done. May be called from several threads at once and from inside a body. Once a body has thrown no
    // new index starts, and the first exception is rethrown.
    void parallelFor(std::size_t count, const std::function<void(std::size_t)> &body);

private:
    struct Loop;

    void work();
    static void runIndices(Loop &loop);
    Loop *findWaitingLoop();

    std::mutex mutex_;
    std::condition_variable wake_; // a loop was added, or the pool ends
    std::condition_variable done_; // a worker left a loop
    std::vector<Loop *> loops_;
    std::vector<std::thread> workers_;
    bool ending_ = false;
};

// The cores this process may use: its affinity mask, and the CPU quota of its container where there is one.
unsigned availableCores();

} // namespace tessera
