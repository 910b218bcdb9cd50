// Global memory moves whole sectors of 32 bytes: a request costs as many as its lanes touch, however few bytes of each
// are used. (CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory".)
#pragma once

#include "gpu/model/request.h"

namespace tessera::model {

inline constexpr int sectorBytes = 32;

// What a request moves in units of `unit` bytes, and what of it the lanes use.
struct Traffic {
    int units = 0;               // distinct units touched
    std::int64_t movedBytes = 0; // units * unit
    std::int64_t usedBytes = 0;  // distinct bytes asked for
    double utilisation() const { return movedBytes ? double(usedBytes) / double(movedBytes) : 0.0; }
};

Traffic trafficOf(const Request &request, int unit = sectorBytes);

// Distinct sectors alone.
int sectorsOf(const Request &request);

// Closed form for lanes side by side: `lanes` values of `bytes` bytes from `address` on.
constexpr std::int64_t sectorsOfRun(std::int64_t address, std::int64_t lanes, int bytes) {
    const std::int64_t last = address + lanes * bytes - 1;
    return lanes > 0 ? last / sectorBytes - address / sectorBytes + 1 : 0;
}

} // namespace tessera::model
