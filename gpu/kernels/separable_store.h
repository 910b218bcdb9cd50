// From sums to stored pixels, four at a time. Part of separable.h's kernel.
#pragma once

#include "gpu/kernels/separable.h"

#if defined(__CUDACC__)

namespace tessera::separable {

template <class Value> struct alignas(4 * sizeof(Value)) Four {
    Value value[4];
};

// Past the caches: nobody reads the output soon.
template <class Value> __device__ inline void storeFour(Value *to, const Four<Value> &values) {
    if constexpr (sizeof(values) == 16)
        __stcs(reinterpret_cast<float4 *>(to), reinterpret_cast<const float4 &>(values));
    else if constexpr (sizeof(values) == 8)
        __stcs(reinterpret_cast<uint2 *>(to), reinterpret_cast<const uint2 &>(values));
    else
        __stcs(reinterpret_cast<unsigned *>(to), reinterpret_cast<const unsigned &>(values));
}

// finishValue() without its questions. Adding 2^23 leaves a number's whole part, rounded to nearest with ties to even,
// in the lowest bits, in two instructions where a conversion takes four slots.
template <class Value> __device__ inline Value finishQuickly(const Finish &finish, float sum) {
    float value = sum + finish.offset;
    if constexpr (std::is_integral_v<Value>) {
        constexpr auto highest = float(std::numeric_limits<Value>::max());
        if (finish.response == Response::Absolute)
            value = fabsf(value);
        value = fminf(fmaxf(value, 0.0f), highest); // a NaN becomes 0
        return Value(__float_as_uint(value + 0x1p23f));
    } else {
        return Value(value);
    }
}

// sum / divisor, as exact as a division: one step of Newton's method from the rounded reciprocal.
__device__ inline float divided(float sum, float divisor, float reciprocal) {
    const float quotient = sum * reciprocal;
    const float corrected = fmaf(fmaf(-quotient, divisor, sum), reciprocal, quotient);
    return isfinite(corrected) ? corrected : quotient;
}

// Rows y to y + 7 of the four values from pixel column x on.
template <class Shape, class Operands>
__device__ inline void storeSums(const Operands &operands, int x, int y, int yEnd,
                                 float (&sums)[Shape::rowsEach][4]) {
    using TargetPixel = std::remove_reference_t<decltype(*operands.target.data)>;
    using Value = typename TargetPixel::Scalar;
    const int valuesLeft = (operands.target.width - x) * Shape::channels;
    if (valuesLeft <= 0)
        return;
    if (operands.finish.divisor != 1.0f) {
        GPU_UNROLL
        for (int m = 0; m < Shape::rowsEach; ++m)
            GPU_UNROLL
            for (int i = 0; i < 4; ++i)
                sums[m][i] = divided(sums[m][i], operands.finish.divisor, operands.reciprocal);
    }
    auto *to = reinterpret_cast<Value *>(operands.target.address(x, y));
    const bool whole = operands.alignedTarget && valuesLeft >= 4;
    GPU_UNROLL
    for (int m = 0; m < Shape::rowsEach; ++m) {
        if (y + m >= yEnd)
            return;
        Four<Value> values;
        GPU_UNROLL
        for (int i = 0; i < 4; ++i)
            values.value[i] = finishQuickly<Value>(operands.finish, sums[m][i]);
        if (whole) {
            storeFour(to, values);
        } else {
            GPU_UNROLL
            for (int i = 0; i < 4; ++i)
                if (i < valuesLeft)
                    to[i] = values.value[i];
        }
        to = reinterpret_cast<Value *>(reinterpret_cast<char *>(to) + operands.target.pitch);
    }
}

} // namespace tessera::separable

#endif
