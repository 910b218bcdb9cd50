// Repeatable noise. No generator keeps a state: a value depends on its coordinates and seed alone, so that rows can be
// computed in any order and by any number of threads and the pictures are the same each time.
#pragma once

#include <cstdint>

namespace tessera::samples {

// Well-mixed bits of a lattice point.
std::uint32_t hashBits(int x, int y, std::uint32_t seed);

// Uniform in [0, 1).
float uniformNoise(int x, int y, std::uint32_t seed);

// Normally distributed, mean 0, deviation 1 (Box and Muller 1958).
float gaussianNoise(int x, int y, std::uint32_t seed);

struct NoiseSample {
    float value = 0;      // 0..1
    float dx = 0, dy = 0; // its derivatives
};

// Value noise: hashed lattice values under quintic interpolation, so that second derivatives are continuous and
// shading shows no lattice.
NoiseSample smoothNoise(float x, float y, std::uint32_t seed);

// Octaves of smoothNoise, each at twice the frequency and half the amplitude: an amplitude spectrum near 1/f, as in
// natural pictures. About 0..1, mean 0.5.
float fractalNoise(float x, float y, int octaves, std::uint32_t seed);

} // namespace tessera::samples
