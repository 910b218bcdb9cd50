// The sRGB transfer curve (IEC 61966-2-1) on values whose white is 1. Continued beyond 0 and 1: below 0 as an odd
// function, so that negative filter results survive the way to linear light and back.
#pragma once

#include <cmath>

namespace tessera {

inline float linearFromSrgb(float stored) {
    const float value = std::fabs(stored);
    const float linear = value <= 0.04045f ? value / 12.92f : std::pow((value + 0.055f) / 1.055f, 2.4f);
    return std::copysign(linear, stored);
}

inline float srgbFromLinear(float linear) {
    const float value = std::fabs(linear);
    const float stored = value <= 0.0031308f ? value * 12.92f : 1.055f * std::pow(value, 1.0f / 2.4f) - 0.055f;
    return std::copysign(stored, linear);
}

} // namespace tessera
