// A pixel of N interleaved channels, aligned so that one of 4, 8 or 16 bytes moves in one instruction.
#pragma once

#include "gpu/image/gpu_code.h"
#include "gpu/image/half.h"

#include <cstddef>
#include <cstdint>

namespace tessera {

template <class T, int N> constexpr std::size_t pixelAlignment() {
    constexpr std::size_t size = sizeof(T) * N;
    return (size & (size - 1)) == 0 && size <= 16 ? size
                                                  : alignof(T); // three channels have only the scalar's alignment
}

template <class T, int N> struct alignas(pixelAlignment<T, N>()) Pixel {
    using Scalar = T;
    static constexpr int channels = N;

    T channel[N];
};

// Sums run in float whatever the pixel's type.
template <class P> using Accumulator = Pixel<float, P::channels>;

template <class P> GPU_CODE inline Accumulator<P> widen(const P &pixel) {
    Accumulator<P> wide;
    for (int c = 0; c < P::channels; ++c)
        wide.channel[c] = static_cast<float>(pixel.channel[c]);
    return wide;
}

template <int N> GPU_CODE inline void multiplyAdd(Pixel<float, N> &sum, float factor, const Pixel<float, N> &value) {
    for (int c = 0; c < N; ++c)
        sum.channel[c] += factor * value.channel[c]; // the compilers contract this to one fused operation
}

template <class P> GPU_CODE constexpr P filledPixel(typename P::Scalar value) {
    P pixel{};
    for (int c = 0; c < P::channels; ++c)
        pixel.channel[c] = value;
    return pixel;
}

} // namespace tessera
