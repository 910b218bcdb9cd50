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

// `base` with its second lowest byte (which is to be 0) replaced by byte `place` of `word`: on the GPU one PRMT
// extracts, shifts and adds.
GPU_CODE inline unsigned byteIntoSecond(unsigned word, int place, unsigned base) {
#if defined(__CUDA_ARCH__)
    return __byte_perm(word, base, 0x7604u + unsigned(place) * 16u);
#else
    return base | (word >> (8 * place) & 0xffu) << 8;
#endif
}

} // namespace tessera
