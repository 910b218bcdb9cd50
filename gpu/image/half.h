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
    std::uint16_t bits; // uninitialised by default, as plain numbers are, so that shared memory can hold it

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

// Two halves in one 32-bit word, which the GPU adds and multiplies in one instruction.
struct alignas(4) Half2 {
    Half low, high;

    Half2() = default;
    GPU_CODE Half2(Half first, Half second) : low(first), high(second) {}
    GPU_CODE explicit Half2(float both) : low(both), high(low) {}
    friend bool operator==(const Half2 &, const Half2 &) = default;
};
static_assert(sizeof(Half2) == 4);

#if defined(__CUDA_ARCH__)
__device__ inline __half2 native(Half2 value) {
    return __halves2half2(__ushort_as_half(value.low.bits), __ushort_as_half(value.high.bits));
}
__device__ inline Half2 portable(__half2 value) {
    Half2 result;
    result.low.bits = __half_as_ushort(__low2half(value));
    result.high.bits = __half_as_ushort(__high2half(value));
    return result;
}
#endif

// a * b + c, rounded once, lane by lane.
GPU_CODE inline Half2 multiplyAdd(Half2 a, Half2 b, Half2 c) {
#if defined(__CUDA_ARCH__)
    return portable(__hfma2(native(a), native(b), native(c)));
#else
    // Products of halves are exact in double, and so are nearly all the sums; what double drops lies far below half a
    // unit of the half that comes out.
    const auto lane = [](Half x, Half y, Half z) {
        const double exact = double(float(x)) * double(float(y)) + double(float(z));
        float rounded = float(exact);
        // Rounding twice may go wrong where the first step lands on a tie of the second: step back to the odd side.
        if (double(rounded) != exact && (std::bit_cast<std::uint32_t>(rounded) & 0x1fffu) == 0x1000u)
            rounded = std::bit_cast<float>(std::bit_cast<std::uint32_t>(rounded) +
                                           ((exact > double(rounded)) == (rounded > 0) ? 1u : ~0u));
        return Half(rounded);
    };
    return {lane(a.low, b.low, c.low), lane(a.high, b.high, c.high)};
#endif
}

GPU_CODE inline Half2 add(Half2 a, Half2 b) {
#if defined(__CUDA_ARCH__)
    return portable(__hadd2(native(a), native(b)));
#else
    // Float has more than twice the bits of a half, so that rounding twice gives what rounding once would.
    return {Half(float(a.low) + float(b.low)), Half(float(a.high) + float(b.high))};
#endif
}

} // namespace tessera
