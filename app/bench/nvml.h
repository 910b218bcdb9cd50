// Clocks, throttling and temperature through NVIDIA's management library, which comes with the driver and is looked up
// when the program runs: a machine without it only lacks a line of the report.
#pragma once

#include "app/bench/report.h"

#include <memory>
#include <string>

namespace tessera::bench {

class ClockReader {
public:
    // `pciBusId`: "0000:3b:00.0", as the CUDA runtime tells it.
    explicit ClockReader(const std::string &pciBusId);
    ~ClockReader();
    ClockReader(const ClockReader &) = delete;
    ClockReader &operator=(const ClockReader &) = delete;

    const std::string &missing() const { return missing_; } // why there is nothing to read; empty where there is
    ClockRecord read() const;

private:
    struct Library;
    std::unique_ptr<Library> library_;
    void *device_ = nullptr;
    std::string missing_;
};

// The names of a mask of nvmlClocksThrottleReasons; those that only say "idle" or "as set" are left out.
std::vector<std::string> throttleReasons(unsigned long long mask);

} // namespace tessera::bench
