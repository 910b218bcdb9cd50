// One warp's request to memory: what each of its lanes asks for with one instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::model {

struct LaneAccess {
    int lane = 0;
    std::int64_t address = 0; // in bytes; of global memory, or an offset in a block's shared memory
    int bytes = 4;            // 1 to 16
};

using Request = std::vector<LaneAccess>;

// Lane i asks for `bytes` bytes at base + i * stride (stride in bytes; negative and zero strides are allowed).
Request stridedRequest(int lanes, std::int64_t base, std::int64_t stride, int bytes);

} // namespace tessera::model
