#include "app/bench/ceilings.h"

#include <algorithm>
#include <cmath>

namespace tessera::bench {

std::optional<double> DeviceCeilings::operationsPerSecond(model::ArithmeticUnit unit) const {
    switch (unit) {
    case model::ArithmeticUnit::Fp32:
        return fp32;
    case model::ArithmeticUnit::Half2:
        return half2;
    case model::ArithmeticUnit::Tensor:
        return tensor;
    }
    return std::nullopt;
}

std::optional<double> DeviceCeilings::copyRate(double bytes, CacheState cache) const {
    const std::vector<CopyRate> &rates = cache == CacheState::Hot && !hot.empty() ? hot : cold;
    if (rates.empty())
        return std::nullopt;
    const auto above = std::ranges::lower_bound(rates, bytes, {}, &CopyRate::bytes);
    if (above == rates.begin())
        return rates.front().bytesPerSecond;
    if (above == rates.end())
        return rates.back().bytesPerSecond;
    const CopyRate &low = *(above - 1), &high = *above;
    const double share = std::log(bytes / low.bytes) / std::log(high.bytes / low.bytes);
    return low.bytesPerSecond + share * (high.bytesPerSecond - low.bytesPerSecond);
}

std::optional<Floor> floorOf(const Work &work, const DeviceCeilings &ceilings, CacheState cache) {
    const std::optional<double> rate = ceilings.copyRate(work.bytes, cache);
    if (!rate)
        return std::nullopt;
    Floor floor;
    floor.memoryMs = 1e3 * work.bytes / *rate;
    if (work.dense && work.operations > 0) {
        const std::optional<double> operations = ceilings.operationsPerSecond(work.unit);
        if (!operations)
            return std::nullopt;
        floor.arithmeticMs = 1e3 * work.operations / *operations;
    }
    if (work.uploadBytes > 0 || work.downloadBytes > 0) {
        if (!ceilings.upload || !ceilings.download)
            return std::nullopt;
        floor.transferMs = 1e3 * std::max(work.uploadBytes / *ceilings.upload, work.downloadBytes / *ceilings.download);
    }
    floor.ms = std::max({floor.memoryMs, floor.arithmeticMs, floor.transferMs});
    return floor;
}

} // namespace tessera::bench
