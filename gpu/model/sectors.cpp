#include "gpu/model/sectors.h"

#include <algorithm>

namespace tessera::model {

namespace {

// Distinct units of `unit` bytes.
std::int64_t distinct(const Request &request, int unit) {
    std::vector<std::int64_t> units;
    for (const LaneAccess &access : request)
        for (std::int64_t i = access.address / unit; i <= (access.address + access.bytes - 1) / unit; ++i)
            units.push_back(i);
    std::sort(units.begin(), units.end());
    return std::unique(units.begin(), units.end()) - units.begin();
}

} // namespace

Request stridedRequest(int lanes, std::int64_t base, std::int64_t stride, int bytes) {
    Request request;
    for (int lane = 0; lane < lanes; ++lane)
        request.push_back({lane, base + lane * stride, bytes});
    return request;
}

Traffic trafficOf(const Request &request, int unit) {
    Traffic traffic;
    traffic.units = int(distinct(request, unit));
    traffic.movedBytes = std::int64_t(traffic.units) * unit;
    traffic.usedBytes = distinct(request, 1);
    return traffic;
}

int sectorsOf(const Request &request) { return int(distinct(request, sectorBytes)); }

} // namespace tessera::model
