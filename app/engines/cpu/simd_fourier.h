// Fourier transforms of tiles in every instruction set; see simd_fourier-inl.h for how they work.
#pragma once

#include <cstddef>
#include <vector>

namespace tessera::cpu {

inline constexpr int maximumFourierSize = 512;

// The turns of a transform of `count` values, a power of two up to maximumFourierSize: stage by stage, and for every
// value of a quarter block w, w^2 and w^3 as pairs of real and imaginary part.
struct FourierFactors {
    int count = 0;
    std::vector<float> values;
};

FourierFactors fourierFactors(int count);

// Complex values in two planes with a common pitch, counted in floats. Width and height are powers of two, multiples of
// 16 and at most maximumFourierSize.
struct FourierTile {
    float *re = nullptr;
    float *im = nullptr;
    int width = 0, height = 0;
    std::ptrdiff_t pitch = 0;
};

struct FourierKernels {
    void (*forwardColumns)(const FourierTile &, const FourierFactors &) = nullptr;
    void (*inverseColumns)(const FourierTile &, const FourierFactors &) = nullptr;
    // The spectrum: 2 * width * height floats, as spectrumOfRows leaves it.
    void (*filterRows)(const FourierTile &, const FourierFactors &, const float *spectrum) = nullptr;
    void (*spectrumOfRows)(const FourierTile &, const FourierFactors &, float scale, float *spectrum) = nullptr;
};

} // namespace tessera::cpu
