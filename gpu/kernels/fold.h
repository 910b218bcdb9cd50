// Operations that a reduction may run: associative, commutative, and with an identity, the value that changes nothing.
// Lanes without an element hold the identity, so that they can take part in every exchange.
#pragma once

#include "gpu/image/gpu_code.h"

#include <bit>
#include <cmath>
#include <type_traits>

namespace tessera {

// The ends of a type's range; infinities for float.
template <class T> GPU_CODE constexpr T largestValue() {
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(0x7f800000u);
    else
        return T(~T(0));
}
template <class T> GPU_CODE constexpr T lowestValue() {
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(0xff800000u);
    else
        return T(0);
}

struct Add {
    template <class T> GPU_CODE static constexpr T identity() { return T(0); }
    template <class T> GPU_CODE T operator()(T a, T b) const { return a + b; }
};

// Of a number and a NaN, Minimum and Maximum give the number, so that their result does not depend on the order.
struct Minimum {
    template <class T> GPU_CODE static constexpr T identity() { return largestValue<T>(); }
    template <class T> GPU_CODE T operator()(T a, T b) const {
        if constexpr (std::is_same_v<T, float>)
            return fminf(a, b);
        else
            return b < a ? b : a;
    }
};
struct Maximum {
    template <class T> GPU_CODE static constexpr T identity() { return lowestValue<T>(); }
    template <class T> GPU_CODE T operator()(T a, T b) const {
        if constexpr (std::is_same_v<T, float>)
            return fmaxf(a, b);
        else
            return b > a ? b : a;
    }
};

} // namespace tessera
