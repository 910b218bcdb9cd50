// Work over bands of rows on all cores. What a band computes must not depend on which thread takes it; results that
// depend on order are stored by row or band and combined afterwards, so that they never depend on the thread count.
#pragma once

#include "app/core/run_control.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tessera {

// Threads worth starting for a picture: below a quarter of a million pixels a thread costs more than it brings.
inline int workersFor(int width, int height) {
    const long long byPixels = 1 + static_cast<long long>(width) * height / 262'144;
    const int cores = std::max(1u, std::thread::hardware_concurrency());
    return static_cast<int>(std::min<long long>(byPixels, cores));
}

// Calls work(worker, firstRow, endRow) for every band of `bandRows` rows; worker is 0..workers-1 and never runs two
// bands at once. Worker 0 is the calling thread, which alone reports progress. The first exception is thrown again
// here.
template <class Work> void forEachBand(int rows, int bandRows, int workers, const RunControl &control, Work work) {
    std::atomic<int> next{0};
    std::exception_ptr failure;
    std::mutex failureMutex;
    const auto run = [&](int worker) {
        try {
            for (int first = next.fetch_add(bandRows); first < rows; first = next.fetch_add(bandRows)) {
                control.checkpoint();
                work(worker, first, std::min(first + bandRows, rows));
                if (worker == 0)
                    control.report(double(std::min(first + bandRows, rows)) / rows);
            }
        } catch (...) {
            const std::lock_guard lock(failureMutex);
            if (!failure)
                failure = std::current_exception();
            next = rows; // the others stop after their band
        }
    };
    {
        std::vector<std::jthread> threads;
        for (int worker = 1; worker < workers; ++worker)
            threads.emplace_back(run, worker);
        run(0);
    }
    if (failure)
        std::rethrow_exception(failure);
}

} // namespace tessera
