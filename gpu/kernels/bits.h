// Bits of a ballot: how many, which first, which last. One instruction each on either side.
#pragma once

#include "gpu/image/gpu_code.h"

#include <bit>

namespace tessera {

GPU_CODE inline int countBits(unsigned mask) {
#if defined(__CUDA_ARCH__)
    return __popc(mask);
#else
    return std::popcount(mask);
#endif
}

// The highest set bit's number; -1 where none is set.
GPU_CODE inline int highestBit(unsigned mask) {
#if defined(__CUDA_ARCH__)
    return 31 - __clz(int(mask));
#else
    return 31 - std::countl_zero(mask);
#endif
}

} // namespace tessera
