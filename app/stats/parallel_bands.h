// Work over bands of rows on the program's thread pool. What a band computes must not depend on which thread takes it;
// results that depend on order are stored by row or band and combined afterwards, so that they never depend on the
// thread count.
#pragma once

#include "app/core/run_control.h"
#include "app/core/thread_pool.h"

#include <algorithm>
#include <atomic>

namespace tessera {

// Accumulators worth having for a picture: below a quarter of a million pixels a thread costs more than it brings.
inline int workersFor(int width, int height) {
    const long long byPixels = 1 + static_cast<long long>(width) * height / 262'144;
    return static_cast<int>(std::min<long long>(byPixels, ThreadPool::shared().threads()));
}

// Calls work(worker, firstRow, endRow) for every band of `bandRows` rows; worker is 0..workers-1, and none runs two
// bands at once, so that each may have memory of its own. Worker 0 alone reports progress. Once a band has thrown, no
// other begins, and the first exception is thrown again here.
template <class Work> void forEachBand(int rows, int bandRows, int workers, const RunControl &control, Work work) {
    std::atomic<long long> next{0}; // runs past the end by a band for each worker
    ThreadPool::shared().parallelFor(std::size_t(workers), [&](std::size_t worker) {
        try {
            for (long long first = next.fetch_add(bandRows); first < rows; first = next.fetch_add(bandRows)) {
                control.checkpoint();
                const int end = int(std::min<long long>(first + bandRows, rows));
                work(int(worker), int(first), end);
                if (worker == 0)
                    control.report(double(end) / rows);
            }
        } catch (...) {
            next = rows;
            throw;
        }
    });
}

} // namespace tessera
