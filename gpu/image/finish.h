// From a sum of products to a stored value: output = respond(sum / divisor + offset), then, for integer pixels,
// round to nearest with ties to even and saturate once. Float pixels take sum / divisor + offset as it is.
#pragma once

#include "gpu/image/gpu_code.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tessera {

// How integer output shows negative values. Clamp: saturate. Absolute: magnitude. Signed: add half the range
// (128, 32768). A stretch of min..max to the full range needs the whole picture and is made of two passes
// (see app/session), so it is no case here.
enum class Response : std::uint8_t { Clamp, Absolute, Signed };

struct Finish {
    float divisor = 1.0f;
    float offset = 0.0f;
    Response response = Response::Clamp;

    friend bool operator==(const Finish &, const Finish &) = default;
};

// The nearest level, ties to even; what lies beyond the type's range saturates and a NaN becomes 0, as no level stands
// for it. Of floats one instruction on the GPU.
template <class T, class Sum> GPU_CODE inline T nearestLevel(Sum value) {
    static_assert(std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t>);
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<Sum, float>) {
        unsigned level;
        if constexpr (sizeof(T) == 1)
            asm("cvt.rni.u8.f32 %0, %1;" : "=r"(level) : "f"(value));
        else
            asm("{ .reg .u16 level; cvt.rni.u16.f32 level, %1; cvt.u32.u16 %0, level; }" : "=r"(level) : "f"(value));
        return T(level);
    }
#endif
    value = std::rint(value);
    if (!(value > Sum(0))) // NaN falls here too
        return T(0);
    constexpr Sum highest = Sum(std::numeric_limits<T>::max());
    return value >= highest ? std::numeric_limits<T>::max() : static_cast<T>(value);
}

// T is std::uint8_t, std::uint16_t or float. `Sum` is float on the GPU and in the engines, double in the reference.
template <class T, class Sum> GPU_CODE inline T finishValue(const Finish &finish, Sum sum) {
    // A division takes some ten instructions on the GPU; most kernels need none, and the question costs one a warp.
    Sum value = finish.divisor == 1.0f ? sum : sum / static_cast<Sum>(finish.divisor);
    value += static_cast<Sum>(finish.offset);
    if constexpr (std::is_integral_v<T>) {
        constexpr Sum highest = static_cast<Sum>(std::numeric_limits<T>::max());
        if (finish.response == Response::Absolute)
            value = value < Sum(0) ? -value : value;
        else if (finish.response == Response::Signed) // a whole number, added after rounding: nothing is lost
            value = std::rint(value) + (highest + Sum(1)) / Sum(2);
        return nearestLevel<T>(value);
    } else {
        return static_cast<T>(value);
    }
}

} // namespace tessera
