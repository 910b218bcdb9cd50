#include "assets/generator/terrain.h"

#include <algorithm>

#include "assets/generator/noise.h"
#include "assets/generator/parallel_rows.h"

namespace tessera::samples {

namespace {

// Octaves whose amplitude falls where the ground is already steep: slopes stay smooth and ridges rough, as if water
// had run over them.
float mountainNoise(float x, float z) {
    float sum = 0, amplitude = 1, slopeX = 0, slopeZ = 0;
    for (unsigned octave = 0; octave < 11; ++octave) {
        const NoiseSample noise = smoothNoise(x, z, 40 + octave);
        slopeX += noise.dx;
        slopeZ += noise.dy;
        sum += amplitude * noise.value / (1.0f + 0.9f * (slopeX * slopeX + slopeZ * slopeZ));
        amplitude *= 0.5f;
        const float turnedX = 1.6f * x - 1.2f * z, turnedZ = 1.2f * x + 1.6f * z;
        x = turnedX;
        z = turnedZ;
    }
    return sum;
}

// Where the lake lies and how high the mountains rise around it.
float groundHeight(float x, float z) {
    const float bend = 1.1f * std::sin(0.55f * z + 0.6f) + 0.5f * (fractalNoise(0.7f * x, 0.7f * z, 3, 7) - 0.5f);
    const float side = std::abs(x - bend);
    const float shore = 0.75f + 0.28f * z * std::exp(-0.12f * z);
    const float banks = smoothStep(shore * 0.8f, shore + 3.4f, side);
    const float headland = smoothStep(6.0f, 12.5f, z + 0.4f * x);
    const float rise = std::max(banks, headland);
    const float rough = mountainNoise(0.42f * x + 3.7f, 0.42f * z + 1.9f);
    const float meadow = 0.05f * (fractalNoise(2.5f * x, 2.5f * z, 6, 90) - 0.42f);
    return meadow - 0.07f * (1.0f - smoothStep(0.0f, 0.2f, rise)) +
           rise * (0.08f + 1.75f * rough * (0.35f + 0.65f * rise));
}

// Share of the ground under trees: patches between the shore and a ragged tree line.
float forestShare(float x, float z, float ground) {
    const float patches = fractalNoise(1.7f * x, 1.7f * z, 4, 300);
    const float treeLine = 0.62f + 0.5f * (patches - 0.5f);
    return smoothStep(0.012f, 0.03f, ground) * (1.0f - smoothStep(treeLine - 0.12f, treeLine, ground)) *
           smoothStep(0.36f, 0.5f, patches);
}

} // namespace

Terrain::Terrain(Vec3 sun)
    : heights_(std::size_t(side_) * side_), sunlight_(heights_.size()), forest_(heights_.size()) {
    parallelRows(side_, [&](int row) {
        for (int column = 0; column < side_; ++column) {
            const float x = column * cell_ - extent / 2, z = row * cell_;
            at(heights_, column, row) = groundHeight(x, z);
            at(forest_, column, row) = forestShare(x, z, at(heights_, column, row));
        }
    });
    parallelRows(side_, [&](int row) {
        for (int column = 0; column < side_; ++column)
            at(sunlight_, column, row) = sunlightAt(column, row, sun);
    });
}

float Terrain::sample(const std::vector<float> &field, float x, float z) const {
    const float column = std::clamp((x + extent / 2) / cell_, 0.0f, float(side_ - 1) - 0.001f);
    const float row = std::clamp(z / cell_, 0.0f, float(side_ - 1) - 0.001f);
    const int left = static_cast<int>(column), top = static_cast<int>(row);
    const float u = column - float(left), v = row - float(top);
    const float *first = field.data() + std::size_t(top) * side_ + std::size_t(left);
    const float *second = first + side_;
    return mix(mix(first[0], first[1], u), mix(second[0], second[1], u), v);
}

float Terrain::sunlightAt(int column, int row, Vec3 sun) const {
    const float x = column * cell_ - extent / 2, z = row * cell_;
    const float ground = heights_[std::size_t(row) * side_ + std::size_t(column)];
    const float horizontal = std::sqrt(sun.x * sun.x + sun.z * sun.z);
    float visible = 1.0f;
    // The steps grow, since a far ridge throws a soft shadow anyway.
    for (float distance = 2 * cell_; distance < 8.0f && visible > 0.0f; distance *= 1.16f) {
        const float along = distance / horizontal;
        const float clearance = ground + along * sun.y - height(x + along * sun.x, z + along * sun.z);
        visible = std::min(visible, 0.5f + 28.0f * clearance / distance);
    }
    return clamp01(visible);
}

float Terrain::canopy(Vec3 point) const {
    const float x = point.x, z = point.z, ground = height(x, z);
    if (ground < 0.012f || ground > 0.95f)
        return ground;
    if (point.y > ground + treeHeight)
        return ground + treeHeight;
    constexpr float spacing = 0.011f;
    const float column = std::floor(x / spacing), row = std::floor(z / spacing);
    const int cellX = static_cast<int>(column), cellZ = static_cast<int>(row);
    const float treeX = (column + 0.3f + 0.4f * uniformNoise(cellX, cellZ, 501)) * spacing;
    const float treeZ = (row + 0.3f + 0.4f * uniformNoise(cellX, cellZ, 502)) * spacing;
    if (uniformNoise(cellX, cellZ, 503) > forest(treeX, treeZ))
        return ground;
    const float size = 0.55f + 0.45f * uniformNoise(cellX, cellZ, 504);
    const float away = std::hypot(x - treeX, z - treeZ) / (0.36f * spacing * (0.7f + 0.3f * size));
    return away < 1.0f ? ground + treeHeight * size * (1.0f - away) : ground;
}

Vec3 Terrain::normal(float x, float z, float footprint) const {
    const float reach = std::max(footprint, cell_);
    const float slopeX = (height(x + reach, z) - height(x - reach, z)) / (2 * reach);
    const float slopeZ = (height(x, z + reach) - height(x, z - reach)) / (2 * reach);
    return normalised({-slopeX, 1.0f, -slopeZ});
}

} // namespace tessera::samples
