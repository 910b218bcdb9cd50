// The mountains around the lake: a field of heights with the light that the low sun leaves on it.
#pragma once

#include <cstddef>
#include <vector>

#include "assets/generator/vec3.h"

namespace tessera::samples {

class Terrain {
public:
    static constexpr float extent = 24.0f; // kilometres along each side
    static constexpr float treeHeight = 0.024f;

    // `sun`: direction towards the sun, y > 0. About half a second on two cores.
    explicit Terrain(Vec3 sun);

    // Height of the ground in kilometres above the lake; negative below its surface. x in -extent/2..extent/2,
    // z in 0..extent; beyond, the edge continues.
    float height(float x, float z) const { return sample(heights_, x, z); }
    // Height with the conifers that stand on it, below a point; where the point lies above any tree, the height that
    // a tree could have.
    float canopy(Vec3 point) const;
    // Normal of the ground over `footprint` kilometres: the wider, the fewer details.
    Vec3 normal(float x, float z, float footprint) const;
    // Share of the sun's disc seen from the ground, 0..1.
    float sunlight(float x, float z) const { return sample(sunlight_, x, z); }
    // Share of the ground under trees, 0..1.
    float forest(float x, float z) const { return sample(forest_, x, z); }

private:
    static constexpr int side_ = 1536;
    static constexpr float cell_ = extent / (side_ - 1);

    float sample(const std::vector<float> &field, float x, float z) const;
    float &at(std::vector<float> &field, int column, int row) const {
        return field[std::size_t(row) * side_ + std::size_t(column)];
    }
    float sunlightAt(int column, int row, Vec3 sun) const;

    std::vector<float> heights_;
    std::vector<float> sunlight_;
    std::vector<float> forest_;
};

} // namespace tessera::samples
