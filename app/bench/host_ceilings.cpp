#include "app/bench/host_ceilings.h"

#include "app/bench/sample_statistics.h"
#include "app/bench/system_memory.h"
#include "app/core/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

namespace tessera::bench {

namespace {

using Clock = std::chrono::steady_clock;
using Stop = std::function<bool()>;

template <class Function> double secondsOf(Function &&function) {
    const auto start = Clock::now();
    function();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

bool stopped(const Stop &stop) { return stop && stop(); }

// Source and target in turns through one large block, so that a cold copy never finds its bytes in a cache.
class CopyTrack {
public:
    CopyTrack(std::size_t bytes) : bytes_(bytes), memory_(new std::byte[bytes]) {
        std::memset(memory_.get(), 1, bytes); // so that its pages are there
    }

    // Median rate of copies of `each` bytes; `cold`: each at the next place.
    double rate(std::size_t each, bool cold, const Stop &stop) {
        const std::size_t places = cold ? std::max<std::size_t>(bytes_ / (2 * each), 1) : 1;
        std::vector<double> seconds;
        double spent = 0;
        for (std::size_t i = 0; i < 200 && (i < 7 || spent < 0.15) && !stopped(stop); ++i) {
            std::byte *const from = memory_.get() + (i % places) * 2 * each;
            if (!cold)
                copy(from, from + each, each);
            const double took = secondsOf([&] { copy(from, from + each, each); });
            seconds.push_back(took);
            spent += took;
        }
        return seconds.empty() ? 0 : 2 * double(each) / (summarize(seconds).median);
    }

private:
    static void copy(const std::byte *from, std::byte *to, std::size_t bytes) {
        ThreadPool &pool = ThreadPool::shared();
        const std::size_t parts = bytes < (std::size_t(256) << 10) ? 1 : pool.threads();
        const std::size_t each = bytes / parts;
        pool.parallelFor(parts, [&](std::size_t part) { std::memcpy(to + part * each, from + part * each, each); });
    }

    std::size_t bytes_;
    std::unique_ptr<std::byte[]> memory_;
};

void measureCopies(DeviceCeilings &ceilings, const Stop &stop) {
    const std::size_t cache = lastLevelCacheBytes();
    const std::size_t most = freeHostMemory() / 4;
    std::size_t track = std::max<std::size_t>(std::size_t(256) << 20, 4 * cache);
    track = std::min(track, std::max<std::size_t>(most, std::size_t(32) << 20));
    CopyTrack copies(track);
    for (std::size_t each = std::size_t(256) << 10; 2 * each <= track && !stopped(stop); each *= 4) {
        ceilings.hot.push_back({2.0 * double(each), copies.rate(each, false, stop)});
        ceilings.cold.push_back({2.0 * double(each), copies.rate(each, true, stop)});
    }
}

// The best of several: a ceiling is what the cores can do, not what they did while something disturbed them.
double peakOperations(const Stop &stop) {
    ThreadPool &pool = ThreadPool::shared();
    constexpr long steps = 4'000'000; // some ten milliseconds
    double best = 0;
    for (int round = 0; round < 8 && !stopped(stop); ++round) {
        std::atomic<double> operations = 0;
        const double seconds = secondsOf(
            [&] { pool.parallelFor(pool.threads(), [&](std::size_t) { operations += runMultiplyAdds(steps); }); });
        best = std::max(best, operations / seconds);
    }
    return best;
}

} // namespace

DeviceCeilings measureHostCeilings(const Stop &stop) {
    DeviceCeilings ceilings;
    if (const double peak = peakOperations(stop); peak > 0)
        ceilings.fp32 = peak;
    measureCopies(ceilings, stop);
    std::erase_if(ceilings.cold, [](const CopyRate &rate) { return rate.bytesPerSecond <= 0; });
    std::erase_if(ceilings.hot, [](const CopyRate &rate) { return rate.bytesPerSecond <= 0; });
    return ceilings;
}

} // namespace tessera::bench
