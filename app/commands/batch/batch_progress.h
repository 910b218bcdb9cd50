// The progress line of a batch: how far, how fast, how long still.
#pragma once

#include "app/commands/console.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace tessera {

// What the line is made of. Remaining time goes by bytes of input, as files differ more in size than in cost a byte.
struct ProgressState {
    std::size_t files = 0, finished = 0, failed = 0;
    std::uint64_t bytes = 0, finishedBytes = 0;
    double megapixels = 0;
    double seconds = 0;
};

// "12/100 files, 3.4 files/s, 41 megapixels/s, 0:26 left, 1 failed".
std::string progressText(const ProgressState &state);

// Draws the line every now and then from a thread of its own, where the console shows progress at all.
class BatchProgress {
public:
    BatchProgress(Console &console, std::size_t files, std::uint64_t bytes);
    ~BatchProgress();
    BatchProgress(const BatchProgress &) = delete;
    BatchProgress &operator=(const BatchProgress &) = delete;

    void fileFinished(std::uint64_t bytes, double megapixels, bool failed);

private:
    void draw();

    Console &console_;
    const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::mutex mutex_;
    std::condition_variable wake_;
    ProgressState state_;
    bool ending_ = false;
    std::thread drawer_;
};

} // namespace tessera
