#include "assets/generator/noise.h"

#include <cmath>
#include <numbers>

namespace tessera::samples {

std::uint32_t hashBits(int x, int y, std::uint32_t seed) {
    // Odd multipliers keep the coordinates apart; the folds and multiplications after are MurmurHash3's finaliser
    // (Appleby, public domain), which lets every input bit change every output bit.
    std::uint32_t bits =
        static_cast<std::uint32_t>(x) * 0x9E3779B1u + static_cast<std::uint32_t>(y) * 0x7FEB352Du + seed * 0x5555555Du;
    bits ^= bits >> 15;
    bits *= 0x85EBCA6Bu;
    bits ^= bits >> 13;
    bits *= 0xC2B2AE35u;
    return bits ^ (bits >> 16);
}

float uniformNoise(int x, int y, std::uint32_t seed) {
    return static_cast<float>(hashBits(x, y, seed) >> 8) * (1.0f / 16777216.0f);
}

float gaussianNoise(int x, int y, std::uint32_t seed) {
    const float radius = std::sqrt(-2.0f * std::log(1.0f - uniformNoise(x, y, seed)));
    return radius * std::cos(2.0f * std::numbers::pi_v<float> * uniformNoise(x, y, seed + 0x51ED27u));
}

NoiseSample smoothNoise(float x, float y, std::uint32_t seed) {
    const float floorX = std::floor(x), floorY = std::floor(y);
    const int column = static_cast<int>(floorX), row = static_cast<int>(floorY);
    const float u = x - floorX, v = y - floorY;
    const float weightU = u * u * u * (u * (u * 6.0f - 15.0f) + 10.0f);
    const float weightV = v * v * v * (v * (v * 6.0f - 15.0f) + 10.0f);
    const float slopeU = 30.0f * u * u * (u * (u - 2.0f) + 1.0f);
    const float slopeV = 30.0f * v * v * (v * (v - 2.0f) + 1.0f);

    const float a = uniformNoise(column, row, seed), b = uniformNoise(column + 1, row, seed);
    const float c = uniformNoise(column, row + 1, seed), d = uniformNoise(column + 1, row + 1, seed);
    const float alongX = b - a, alongY = c - a, twist = a - b - c + d;
    return {a + alongX * weightU + alongY * weightV + twist * weightU * weightV, slopeU * (alongX + twist * weightV),
            slopeV * (alongY + twist * weightU)};
}

float fractalNoise(float x, float y, int octaves, std::uint32_t seed) {
    float sum = 0, amplitude = 0.5f, total = 0;
    for (int octave = 0; octave < octaves; ++octave) {
        sum += amplitude * smoothNoise(x, y, seed + static_cast<std::uint32_t>(octave)).value;
        total += amplitude;
        amplitude *= 0.5f;
        // Each octave is turned by an angle with the tangent 3/4, so that lattice directions never line up.
        const float turnedX = 1.6f * x - 1.2f * y, turnedY = 1.2f * x + 1.6f * y;
        x = turnedX + 17.3f;
        y = turnedY - 9.1f;
    }
    return sum / total;
}

} // namespace tessera::samples
