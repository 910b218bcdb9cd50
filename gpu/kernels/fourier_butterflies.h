// The discrete Fourier transform of 32 values that one thread holds, and what the larger transforms are made of.
//
// A sequence of 1024 is a square of 32 x 32 (the four-step method): thread j transforms the elements j, j + 32, ...,
// turns the results by exp(-2 pi i j k / 1024), the threads exchange rows for columns, and each transforms 32 values
// again. Decimation in frequency leaves the results of one step in bit-reversed order, which costs nothing where every
// index is known to the compiler: reversed() says which register holds which.
#pragma once

#include "gpu/image/gpu_code.h"

#include <utility>

namespace tessera {

struct alignas(8) Complex {
    float re, im;
};

GPU_CODE constexpr Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
GPU_CODE constexpr Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
GPU_CODE constexpr Complex operator*(Complex a, Complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
GPU_CODE constexpr Complex conjugate(Complex a) { return {a.re, -a.im}; }

inline constexpr int fourierRadix = 32;
inline constexpr int fourierSide = fourierRadix * fourierRadix; // of a tile

namespace fourier {

inline constexpr double pi = 3.14159265358979323846;

// Taylor's series for |x| <= pi: std::cos is no constant expression.
GPU_CODE constexpr double cosine(double x) {
    double term = 1.0, sum = 1.0;
    for (int i = 1; i < 16; ++i) {
        term *= -x * x / ((2 * i - 1) * (2 * i));
        sum += term;
    }
    return sum;
}
GPU_CODE constexpr double sine(double x) {
    double term = x, sum = x;
    for (int i = 1; i < 16; ++i) {
        term *= -x * x / ((2 * i) * (2 * i + 1));
        sum += term;
    }
    return sum;
}

// a * exp(-2 pi i K / N), or its conjugate on the way back. 0 <= K < N / 2.
template <int K, int N, bool inverse> GPU_CODE inline Complex turn(Complex a) {
    constexpr float half = 0.70710678118654752f; // cos(pi / 4)
    constexpr float sign = inverse ? -1.0f : 1.0f;
    if constexpr (K == 0) {
        return a;
    } else if constexpr (4 * K == N) {
        return inverse ? Complex{-a.im, a.re} : Complex{a.im, -a.re};
    } else if constexpr (8 * K == N) {
        return inverse ? Complex{(a.re - a.im) * half, (a.re + a.im) * half}
                       : Complex{(a.re + a.im) * half, (a.im - a.re) * half};
    } else if constexpr (8 * K == 3 * N) {
        return inverse ? Complex{(a.re + a.im) * -half, (a.re - a.im) * half}
                       : Complex{(a.im - a.re) * half, (a.re + a.im) * -half};
    } else {
        constexpr auto c = float(cosine(2 * pi * K / N)), s = sign * float(sine(2 * pi * K / N));
        return {a.re * c + a.im * s, a.im * c - a.re * s};
    }
}

template <int N, int first, bool inverse> GPU_CODE inline void butterflies(Complex (&x)[fourierRadix]);

template <int N, int first, bool inverse, int... I>
GPU_CODE inline void butterflyStage(Complex (&x)[fourierRadix], std::integer_sequence<int, I...>) {
    const auto butterfly = [&]<int i>(std::integral_constant<int, i>) {
        const Complex a = x[first + i], b = x[first + i + N / 2];
        x[first + i] = a + b;
        x[first + i + N / 2] = turn<i, N, inverse>(a - b);
    };
    (butterfly(std::integral_constant<int, I>{}), ...);
    butterflies<N / 2, first, inverse>(x);
    butterflies<N / 2, first + N / 2, inverse>(x);
}

template <int N, int first, bool inverse> GPU_CODE inline void butterflies(Complex (&x)[fourierRadix]) {
    if constexpr (N > 1)
        butterflyStage<N, first, inverse>(x, std::make_integer_sequence<int, N / 2>{});
}

} // namespace fourier

// Where transform() leaves the k-th result: the five bits of k reversed.
GPU_CODE constexpr int reversed(int k) {
    return (k & 1) << 4 | (k & 2) << 2 | (k & 4) | (k & 8) >> 2 | (k & 16) >> 4;
}

// X[k] = sum over n of x[n] exp(-2 pi i n k / 32), or exp(+...) for `inverse`, neither scaled; X[k] is at reversed(k).
template <bool inverse> GPU_CODE inline void transform(Complex (&x)[fourierRadix]) {
    fourier::butterflies<fourierRadix, 0, inverse>(x);
}

// exp(-2 pi i j k / 1024) at k * 32 + j: 1024 entries, made on the host.
inline void fillTwiddles(Complex *table) {
    for (int k = 0; k < fourierRadix; ++k)
        for (int j = 0; j < fourierRadix; ++j) {
            // Reduced to half a turn either way for the sake of the series.
            const int step = j * k >= fourierSide / 2 ? j * k - fourierSide : j * k;
            const double angle = 2 * fourier::pi * step / fourierSide;
            table[k * fourierRadix + j] = {float(fourier::cosine(angle)), -float(fourier::sine(angle))};
        }
}

} // namespace tessera
