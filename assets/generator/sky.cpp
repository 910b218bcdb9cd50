#include "assets/generator/sky.h"

#include <algorithm>
#include <numbers>

#include "assets/generator/noise.h"

namespace tessera::samples {

namespace {
constexpr float cloudAltitude = 5.0f; // kilometres
constexpr Vec3 zenithColour{0.055f, 0.145f, 0.36f};
constexpr Vec3 middleColour{0.26f, 0.40f, 0.58f};
constexpr Vec3 horizonColour{0.92f, 0.56f, 0.34f};

// Thickness of the cloud layer above a point, 0..1: long bands, torn into streaks.
float cloudThickness(float x, float z) {
    const float bands = fractalNoise(0.055f * x + 3.1f, 0.10f * z + 8.2f, 3, 700);
    const float streaks = fractalNoise(0.22f * x, 0.42f * z, 6, 720);
    return smoothStep(0.50f, 0.80f, 0.55f * bands + 0.55f * streaks);
}
} // namespace

Sky eveningSky(float azimuth, float elevation) {
    constexpr float radians = std::numbers::pi_v<float> / 180.0f;
    const float level = std::cos(elevation * radians);
    return {{std::sin(azimuth * radians) * level, std::sin(elevation * radians), std::cos(azimuth * radians) * level},
            {2.6f, 1.75f, 1.0f}};
}

Vec3 Sky::haze(Vec3 direction) const {
    const float height = std::max(direction.y, 0.0f);
    Vec3 colour = mix(middleColour, zenithColour, smoothStep(0.10f, 0.62f, height));
    const float towards = std::max(dot(direction, sun), 0.0f);
    // The warm band along the horizon is widest below the sun.
    colour = mix(horizonColour, colour, smoothStep(-0.08f, 0.20f + 0.14f * towards * towards, height));
    const float wide = std::pow(towards, 5.0f), narrow = std::pow(towards, 60.0f);
    return colour + Vec3{0.30f, 0.15f, 0.04f} * wide + Vec3{0.85f, 0.52f, 0.20f} * narrow;
}

Vec3 Sky::radiance(Vec3 direction) const {
    Vec3 colour = haze(direction);
    const float towards = std::max(dot(direction, sun), 0.0f);
    const float disc = smoothStep(0.99986f, 0.99992f, towards); // a radius of about 0.8 degrees, a little over life
    colour += Vec3{1.9f, 1.45f, 0.85f} * std::pow(towards, 900.0f);
    float thickness = 0;
    if (direction.y > 0.015f) {
        const float distance = cloudAltitude / direction.y;
        const float x = direction.x * distance, z = direction.z * distance;
        thickness = cloudThickness(x, z) * smoothStep(0.015f, 0.09f, direction.y);
        // Thinner towards the sun means a lit edge.
        const float edge = clamp01(0.5f + 1.8f * (thickness - cloudThickness(x + 1.1f * sun.x, z + 1.1f * sun.z)));
        const Vec3 shade{0.30f, 0.30f, 0.38f}, lit{1.45f, 1.02f, 0.74f};
        const Vec3 cloud = mix(shade, lit, 0.25f + 0.75f * edge) + Vec3{0.9f, 0.55f, 0.25f} * std::pow(towards, 14.0f);
        colour = mix(colour, cloud, 0.85f * thickness);
    }
    return colour + sunLight * (60.0f * disc * (1.0f - 0.8f * thickness));
}

Vec3 Sky::ambient(Vec3 normal) const {
    const float up = 0.5f + 0.5f * normal.y;
    const float towards = clamp01(0.5f + 0.5f * dot(normal, sun));
    return Vec3{0.16f, 0.24f, 0.38f} * up + Vec3{0.16f, 0.11f, 0.075f} * (towards * towards);
}

} // namespace tessera::samples
