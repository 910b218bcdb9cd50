// A 16-bit IEEE 754 number that means the same on the host and on the GPU. Storage only: arithmetic happens in float
// or, in the half2 kernels, in the GPU's own packed instructions.
#pragma once

#include "gpu/image/gpu_code.h"

#include <bit>
#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif

namespace tessera {

// Rounds to nearest, ties to even; beyond 65504 becomes infinity, as the GPU's conversion does.
constexpr std::uint16_t halfBitsFromFloat(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return std::uint16_t(sign | 0x7fffu); // NaN, as cvt.rn.f16.f32 makes it
    if (magnitude >= 0x477ff000u)             // 65520 and more round to infinity
        return std::uint16_t(sign | 0x7c00u);
    if (magnitude < 0x33000001u) // at most 2^-25: half of the smallest subnormal, a tie with 0
        return std::uint16_t(sign);
    const int exponent = int(magnitude >> 23) - 127;
    const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const int dropped = exponent >= -14 ? 13 : -exponent - 1; // subnormal halves keep fewer bits
    const std::uint32_t kept = mantissa >> dropped;
    const std::uint32_t rest = mantissa & ((1u << dropped) - 1u);
    const std::uint32_t middle = 1u << (dropped - 1);
    const std::uint32_t rounded = kept + (rest > middle || (rest == middle && (kept & 1u)) ? 1u : 0u);
    // A carry out of the mantissa moves into the exponent by itself.
    return std::uint16_t(sign | (exponent >= -14 ? (std::uint32_t(exponent + 14) << 10) + rounded : rounded));
}

constexpr float floatFromHalfBits(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t(half & 0x8000u) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fu;
    const std::uint32_t mantissa = half & 0x3ffu;
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
    if (exponent == 0) {
        const float magnitude = float(mantissa) * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
}

struct Half {
    std::uint16_t bits = 0;

    Half() = default;
    GPU_CODE explicit Half(float value) {
#if defined(__CUDA_ARCH__)
        bits = __half_as_ushort(__float2half_rn(value));
#else
        bits = halfBitsFromFloat(value);
#endif
    }
    GPU_CODE explicit operator float() const {
#if defined(__CUDA_ARCH__)
        return __half2float(__ushort_as_half(bits));
#else
        return floatFromHalfBits(bits);
#endif
    }
    friend bool operator==(const Half &, const Half &) = default;
};

inline constexpr float halfMaximum = 65504.0f;

} // namespace tessera
