// Three floats: a point or direction in kilometres (x right, y up, z away from the viewer), or a linear RGB colour.
#pragma once

#include <cmath>

namespace tessera::samples {

struct Vec3 {
    float x = 0, y = 0, z = 0;

    friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    friend constexpr Vec3 operator*(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
    friend constexpr Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
    friend constexpr Vec3 operator*(float s, Vec3 a) { return a * s; }
    Vec3 &operator+=(Vec3 b) { return *this = *this + b; }
};

constexpr float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 normalised(Vec3 a) { return a * (1.0f / std::sqrt(dot(a, a))); }
constexpr Vec3 reflected(Vec3 direction, Vec3 normal) { return direction - normal * (2.0f * dot(direction, normal)); }

constexpr float clamp01(float value) { return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value; }
constexpr float mix(float a, float b, float share) { return a + (b - a) * share; }
constexpr Vec3 mix(Vec3 a, Vec3 b, float share) { return a + (b - a) * share; }
constexpr float smoothStep(float from, float to, float value) {
    const float t = clamp01((value - from) / (to - from));
    return t * t * (3.0f - 2.0f * t);
}
// Rec. 709 luminance of a linear colour.
constexpr float luminance(Vec3 colour) { return dot(colour, {0.2126f, 0.7152f, 0.0722f}); }

} // namespace tessera::samples
