// Halves for the run-time compiler, in the machine's own instructions, under the names that the kernels use of the
// toolkit's header. That header lies in the toolkit, which a machine with only the driver and the run-time compiler
// lacks, and costs more compile time than the kernel.
#pragma once

struct __half {
    unsigned short bits;
};
struct alignas(4) __half2 {
    __half x, y;
};

inline __half __ushort_as_half(unsigned short bits) { return {bits}; }
inline unsigned short __half_as_ushort(__half value) { return value.bits; }

inline __half __float2half_rn(float value) {
    __half result;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
    return result;
}
inline float __half2float(__half value) {
    float result;
    asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
    return result;
}

inline __half2 __halves2half2(__half low, __half high) { return {low, high}; }
inline __half __low2half(__half2 value) { return value.x; }
inline __half __high2half(__half2 value) { return value.y; }

// The two halves as the one register that the packed instructions take.
inline unsigned __half2Word(__half2 value) { return __builtin_bit_cast(unsigned, value); }
inline __half2 __wordHalf2(unsigned word) { return __builtin_bit_cast(__half2, word); }

inline __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
    unsigned result;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(__half2Word(a)), "r"(__half2Word(b)), "r"(__half2Word(c)));
    return __wordHalf2(result);
}
inline __half2 __hadd2(__half2 a, __half2 b) {
    unsigned result;
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(__half2Word(a)), "r"(__half2Word(b)));
    return __wordHalf2(result);
}
inline __half2 __hmul2(__half2 a, __half2 b) {
    unsigned result;
    asm("mul.rn.f16x2 %0, %1, %2;" : "=r"(result) : "r"(__half2Word(a)), "r"(__half2Word(b)));
    return __wordHalf2(result);
}

inline __half2 __floats2half2_rn(float low, float high) { return {__float2half_rn(low), __float2half_rn(high)}; }
inline float2 __half22float2(__half2 value) { return make_float2(__half2float(value.x), __half2float(value.y)); }
