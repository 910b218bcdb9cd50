#include "app/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <fstream>
#include <string>

namespace tessera {

namespace {

// To wake a sleeping thread takes some 20 microseconds, as long as filtering a small picture. A thread that has just
// worked, or that waits for another's last index, looks about for that long before it goes to sleep: loops mostly come
// in quick succession.
constexpr std::chrono::microseconds lookingAbout{50};

void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Until it is so, or for a while.
template <class Condition> void lookAbout(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + lookingAbout;
    do
        for (int i = 0; i < 16; ++i) {
            if (condition())
                return;
            relax();
        }
    while (std::chrono::steady_clock::now() < end);
}

} // namespace

// Lives on the stack of the thread that called parallelFor. A loop stays in loops_ until its caller has run out of
// indices; the caller then waits for the workers still inside a body.
struct ThreadPool::Loop {
    Loop(const std::function<void(std::size_t)> &function, std::size_t indices) : body(function), count(indices) {}

    const std::function<void(std::size_t)> &body;
    const std::size_t count;
    std::atomic<std::size_t> next{0};
    std::atomic<bool> failed{false};
    std::exception_ptr failure;       // written once, by the thread that set `failed`
    std::atomic<unsigned> helpers{0}; // changed under the pool's mutex
};

ThreadPool &ThreadPool::shared() {
    static ThreadPool pool(availableCores());
    return pool;
}

ThreadPool::ThreadPool(unsigned threads) : budget_(std::max(1u, threads)) {
    workers_.reserve(threads);
    for (unsigned i = 1; i < threads; ++i)
        workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    for (std::thread &worker : workers_)
        worker.join();
}

void ThreadPool::setBudget(unsigned threads) {
    {
        const std::lock_guard lock(mutex_);
        budget_ = std::max(1u, threads);
    }
    wake_.notify_all();
}

unsigned ThreadPool::seatsLeft() const {
    const unsigned budget = budget_.load(std::memory_order_relaxed), seated = seated_.load(std::memory_order_relaxed);
    return budget > seated ? budget - seated : 0;
}

void ThreadPool::leaveSeat() {
    bool waiting = false;
    {
        const std::lock_guard lock(mutex_); // else a worker could miss it between its look and its sleep
        seated_.fetch_sub(1, std::memory_order_relaxed);
        waiting = !loops_.empty();
    }
    if (waiting)
        wake_.notify_all();
}

bool ThreadPool::runIndex(Loop &loop) {
    const std::size_t index = loop.next.fetch_add(1, std::memory_order_relaxed);
    if (index >= loop.count)
        return false;
    try {
        loop.body(index);
    } catch (...) {
        if (!loop.failed.exchange(true))
            loop.failure = std::current_exception();
        loop.next.store(loop.count, std::memory_order_relaxed);
        return false;
    }
    return true;
}

void ThreadPool::help(Loop &loop) {
    while (helping_.load(std::memory_order_relaxed) <= seatsLeft() && runIndex(loop)) {
    }
}

ThreadPool::Loop *ThreadPool::findWaitingLoop() {
    for (Loop *loop : loops_)
        if (loop->next.load(std::memory_order_relaxed) < loop->count)
            return loop;
    return nullptr;
}

void ThreadPool::awaitArrival(unsigned known) const {
    lookAbout(
        [&] { return ending_.load(std::memory_order_relaxed) || arrivals_.load(std::memory_order_relaxed) != known; });
}

void ThreadPool::work() {
    std::unique_lock lock(mutex_);
    bool hasWorked = false;
    for (;;) {
        Loop *loop = nullptr;
        const auto mayHelp = [&] {
            return ending_ || (helping_ < seatsLeft() && (loop = findWaitingLoop()) != nullptr);
        };
        if (hasWorked && !mayHelp()) {
            const unsigned known = arrivals_.load(std::memory_order_relaxed);
            lock.unlock();
            awaitArrival(known);
            lock.lock();
        }
        wake_.wait(lock, mayHelp);
        if (loop == nullptr)
            return; // only at the end
        ++loop->helpers;
        ++helping_;
        lock.unlock();
        help(*loop);
        lock.lock();
        --helping_;
        hasWorked = true;
        if (--loop->helpers == 0)
            done_.notify_all();
    }
}

void ThreadPool::parallelFor(std::size_t count, const std::function<void(std::size_t)> &body) {
    if (count <= 1 || workers_.empty()) {
        for (std::size_t i = 0; i < count; ++i)
            body(i);
        return;
    }
    Loop loop(body, count);
    {
        const std::lock_guard lock(mutex_);
        loops_.push_back(&loop);
        arrivals_.fetch_add(1, std::memory_order_relaxed);
    }
    if (count - 1 < workers_.size())
        for (std::size_t i = 1; i < count; ++i)
            wake_.notify_one();
    else
        wake_.notify_all();
    while (runIndex(loop)) {
    }

    std::unique_lock lock(mutex_);
    std::erase(loops_, &loop); // no more helpers from here on
    if (loop.helpers > 0) {
        lock.unlock();
        lookAbout([&] { return loop.helpers.load(std::memory_order_relaxed) == 0; });
        lock.lock();
    }
    done_.wait(lock, [&] { return loop.helpers == 0; });
    if (loop.failure)
        std::rethrow_exception(loop.failure);
}

namespace {

// cgroup v2 states "quota period" in microseconds, or "max period". Kubernetes limits CPU this way, and a pool of 64
// threads on a quota of 4 cores is throttled for most of each period.
unsigned containerQuota() {
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    std::string quota;
    double period = 0;
    if (!(file >> quota >> period) || quota == "max" || period <= 0)
        return 0;
    try {
        return unsigned(std::max(1.0, std::stod(quota) / period + 0.5));
    } catch (const std::exception &) {
        return 0;
    }
}

} // namespace

unsigned availableCores() {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency()); // honours the affinity mask on Linux
    const unsigned quota = containerQuota();
    return quota == 0 ? cores : std::min(cores, quota);
}

} // namespace tessera
