// What a device reaches at its best, measured in the session that it judges, and the floors that follow: no time of a
// contender can be below them but through the caches.
#pragma once

#include "app/bench/contender.h"

#include <optional>
#include <vector>

namespace tessera::bench {

// Of a plain copy; bytes are those read plus those written.
struct CopyRate {
    double bytes = 0;
    double bytesPerSecond = 0;
};

struct DeviceCeilings {
    std::vector<CopyRate> cold, hot;           // by rising size
    std::optional<double> fp32, half2, tensor; // operations a second, a multiply-add being two
    std::optional<double> upload, download;    // bytes a second from and to pinned host memory
    std::optional<double> emptyCallMs;         // from the call to its end, with nothing to do

    std::optional<double> operationsPerSecond(model::ArithmeticUnit unit) const;
    // Between two measured sizes in proportion to the logarithm; beyond them that of the nearest.
    std::optional<double> copyRate(double bytes, CacheState cache) const;
};

struct Floor {
    double ms = 0; // the larger of those below that apply
    double memoryMs = 0;
    double arithmeticMs = 0; // 0 for work that is held against memory alone
    double transferMs = 0;   // uploads and downloads can overlap: the longer of them
};

// Empty where a ceiling that it takes was not measured.
std::optional<Floor> floorOf(const Work &work, const DeviceCeilings &ceilings, CacheState cache);

} // namespace tessera::bench
