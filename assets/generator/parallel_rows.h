// Runs a function for each row on all cores. The rows must not depend on each other.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace tessera::samples {

template <class Function> void parallelRows(int rows, const Function &function) {
    std::atomic<int> next{0};
    const auto work = [&] {
        for (int row = next++; row < rows; row = next++)
            function(row);
    };
    std::vector<std::jthread> helpers;
    for (unsigned count = std::max(1u, std::thread::hardware_concurrency()); count > 1; --count)
        helpers.emplace_back(work);
    work();
}

} // namespace tessera::samples
