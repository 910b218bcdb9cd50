#include "assets/generator/landscape.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "assets/generator/noise.h"
#include "assets/generator/parallel_rows.h"
#include "assets/generator/sky.h"
#include "assets/generator/terrain.h"

namespace tessera::samples {

namespace {

constexpr Vec3 eye{-0.35f, 0.045f, 0.02f};
constexpr float fieldOfView = 0.60f; // tangent of half the horizontal angle
constexpr float pitch = 0.075f;      // the horizon lies that far below the middle
constexpr float farthest = 24.0f;

class Scene {
public:
    Scene() : sky_(eveningSky(-19.0f, 11.5f)), terrain_(sky_.sun) {}

    struct View {
        Vec3 colour;
        float distance = farthest; // length of the light's way from what is seen; tells outlines
    };

    // `pixel`: the angle that a pixel covers.
    View look(Vec3 direction, float pixel) const {
        const std::optional<float> land = hitLand(eye, direction, pixel);
        const float water = direction.y < 0 ? -eye.y / direction.y : farthest;
        if (land && *land < water)
            return {landColour(eye, direction, *land, pixel), *land};
        if (water < farthest)
            return lookAtWater(direction, water, pixel);
        return {sky_.radiance(direction), 2 * farthest};
    }

private:
    // Marches until the ray is below the ground or a tree, then halves the last step.
    std::optional<float> hitLand(Vec3 from, Vec3 direction, float pixel) const {
        float before = 0.02f, distance = before;
        for (int step = 0; step < 5000 && distance < farthest; ++step) {
            const Vec3 point = from + direction * distance;
            if (point.y > 3.0f && direction.y > 0)
                return std::nullopt;
            const float clearance = point.y - surface(point, distance);
            if (clearance < 0)
                return refine(from, direction, before, distance);
            before = distance;
            // Trees are narrower than a step across open ground, so steps are short just above them.
            distance += std::max(0.4f * clearance, 0.8f * pixel * distance + 0.0012f);
        }
        return std::nullopt;
    }

    float refine(Vec3 from, Vec3 direction, float above, float below) const {
        for (int halving = 0; halving < 8; ++halving) {
            const float middle = 0.5f * (above + below);
            const Vec3 point = from + direction * middle;
            (point.y < surface(point, middle) ? below : above) = middle;
        }
        return below;
    }

    float surface(Vec3 point, float distance) const {
        return distance < 7.0f ? terrain_.canopy(point) : terrain_.height(point.x, point.z);
    }

    Vec3 landColour(Vec3 from, Vec3 direction, float distance, float pixel) const;
    View lookAtWater(Vec3 direction, float distance, float pixel) const;
    Vec3 throughAir(Vec3 colour, Vec3 direction, float distance, float height) const;

    Sky sky_;
    Terrain terrain_;
};

// What the ground is made of at a point: grass and trees low down, rock where it is steep, snow high up.
// `footprint`: kilometres that a pixel covers; finer octaves are left out, as they would only alias.
Vec3 groundColour(float x, float z, float height, float steepness, float forest, float footprint) {
    const int octaves = std::clamp(static_cast<int>(std::log2(1.0f / (38.0f * footprint))), 2, 11);
    const float fine = clamp01(0.5f + 1.5f * (fractalNoise(38.0f * x, 38.0f * z, octaves, 800) - 0.5f));
    const float broad = fractalNoise(3.1f * x, 3.1f * z, 4, 820);
    const Vec3 rock = mix(Vec3{0.16f, 0.145f, 0.14f}, Vec3{0.36f, 0.32f, 0.29f}, fine);
    const Vec3 grass = mix(Vec3{0.10f, 0.13f, 0.035f}, Vec3{0.27f, 0.24f, 0.075f}, 0.5f * (fine + broad));
    const Vec3 shore = mix(Vec3{0.14f, 0.125f, 0.11f}, Vec3{0.42f, 0.39f, 0.35f}, fine);
    const Vec3 trees = mix(Vec3{0.018f, 0.036f, 0.016f}, Vec3{0.06f, 0.085f, 0.028f}, fine);
    Vec3 colour = mix(grass, rock, smoothStep(0.20f, 0.42f, steepness + 0.3f * (fine - 0.5f)));
    colour = mix(colour, rock, smoothStep(0.6f, 1.0f, height + 0.4f * (broad - 0.5f)));
    colour = mix(shore, colour, smoothStep(0.003f, 0.010f, height + 0.004f * (fine - 0.5f)));
    colour = mix(colour, trees, forest);
    const float snowLine = 0.98f + 0.5f * (broad - 0.5f) + 0.25f * (fine - 0.5f);
    const float snow = smoothStep(snowLine, snowLine + 0.16f, height) * (1.0f - smoothStep(0.40f, 0.62f, steepness));
    return mix(colour, {0.82f, 0.85f, 0.90f}, snow);
}

// Tilt of the normal by what the field of heights is too coarse for, down to the size of a pixel. Each octave is turned
// against the last, so that their lattices do not line up.
Vec3 roughness(Vec3 point, float footprint) {
    Vec3 tilt;
    float x = 29.0f * point.x, z = 29.0f * point.z, frequency = 29.0f, strength = 0.22f;
    for (unsigned octave = 0; octave < 9 && frequency * footprint < 0.5f; ++octave) {
        const NoiseSample bumps = smoothNoise(x, z, 850 + octave);
        tilt = tilt - Vec3{bumps.dx, 0, bumps.dy} * strength;
        const float turnedX = 1.38f * x - 1.84f * z, turnedZ = 1.84f * x + 1.38f * z;
        x = turnedX;
        z = turnedZ;
        frequency *= 2.3f;
        strength *= 0.80f;
    }
    return tilt;
}

Vec3 Scene::landColour(Vec3 from, Vec3 direction, float distance, float pixel) const {
    const Vec3 point = from + direction * distance;
    const float ground = terrain_.height(point.x, point.z);
    const float aboveGround = point.y - ground;
    const Vec3 smooth = terrain_.normal(point.x, point.z, pixel * distance);
    Vec3 normal = normalised(smooth + roughness(point, pixel * distance) * (0.6f + 1.6f * (1.0f - smooth.y)));
    const float forest = terrain_.forest(point.x, point.z);
    const bool tree = aboveGround > 0.0008f;
    Vec3 albedo =
        groundColour(point.x, point.z, ground, 1.0f - smooth.y, tree ? 1.0f : 0.8f * forest, pixel * distance);
    float shade = terrain_.sunlight(point.x, point.z);
    float open = 1.0f;
    if (tree) {
        // The top of a tree sees the sky, its foot stands in its neighbours' shadow.
        const float top = clamp01(aboveGround / Terrain::treeHeight);
        open = 0.25f + 0.75f * top;
        shade *= 0.35f + 0.65f * top;
        normal = normalised(normal + sky_.sun * 0.35f);
    } else if (forest > 0.3f) {
        open = 0.55f;
    }
    const float facing = std::max(dot(normal, sky_.sun), 0.0f);
    const Vec3 light = sky_.sunLight * (facing * shade) + sky_.ambient(normal) * open;
    return throughAir(albedo * light, direction, distance, point.y);
}

// Light that the air takes away and adds; haze is denser near the water.
Vec3 Scene::throughAir(Vec3 colour, Vec3 direction, float distance, float height) const {
    const float density = 0.040f * std::exp(-0.9f * std::max(height, 0.0f));
    const Vec3 kept{std::exp(-0.75f * density * distance), std::exp(-density * distance),
                    std::exp(-1.45f * density * distance)};
    const Vec3 haze = sky_.haze({direction.x, 0.06f, direction.z}) * Vec3{0.62f, 0.68f, 0.80f};
    return colour * kept + haze * (Vec3{1, 1, 1} - kept);
}

Scene::View Scene::lookAtWater(Vec3 direction, float distance, float pixel) const {
    const Vec3 point = eye + direction * distance;
    // Waves shorter than a pixel only blur the reflection: they fade out with the distance.
    float slopeX = 0, slopeZ = 0, frequency = 26.0f, slope = 0.016f;
    const float wind = 0.35f + 1.1f * smoothStep(0.42f, 0.62f, fractalNoise(0.9f * point.x, 2.3f * point.z, 3, 910));
    for (unsigned octave = 0; octave < 6; ++octave) {
        const float reach = pixel * distance / std::max(-direction.y, 0.02f);
        const float fade = wind * slope / (1.0f + 3.0f * frequency * reach);
        const NoiseSample wave =
            smoothNoise(frequency * point.x + 0.3f * frequency * point.z, 1.7f * frequency * point.z, 900 + octave);
        slopeX += fade * wave.dx;
        slopeZ += fade * wave.dy;
        frequency *= 1.9f;
        slope *= 0.86f;
    }
    const Vec3 normal = normalised({-slopeX, 1.0f, -slopeZ});
    Vec3 mirrored = reflected(direction, normal);
    mirrored.y = std::max(mirrored.y, 0.004f);
    mirrored = normalised(mirrored);
    const std::optional<float> land = hitLand(point, mirrored, 2.0f * pixel);
    const Vec3 image = land ? landColour(point, mirrored, *land, 2.0f * pixel) : sky_.radiance(mirrored);
    const float grazing = 1.0f - clamp01(dot(normal, direction * -1.0f));
    const float mirror = 0.02f + 0.98f * grazing * grazing * grazing * grazing * grazing; // Schlick 1994
    const Vec3 depths{0.012f, 0.040f, 0.046f};
    const Vec3 colour = mix(depths, image * Vec3{0.93f, 0.96f, 0.97f}, mirror);
    // Outlines in the mirror image are outlines too.
    return {throughAir(colour, direction, distance, 0.0f), distance + land.value_or(farthest)};
}

Vec3 rayThrough(float column, float row, int width, int height) {
    const float scale = 2.0f * fieldOfView / float(width);
    return normalised({(column - 0.5f * float(width)) * scale, (0.5f * float(height) - row) * scale + pitch, 1.0f});
}

} // namespace

Image renderLandscape(int width, int height) {
    const Scene scene;
    const float pixel = 2.0f * fieldOfView / float(width);
    std::vector<Scene::View> views(std::size_t(width) * std::size_t(height));
    const auto at = [&](int x, int y) -> Scene::View & {
        return views[std::size_t(y) * std::size_t(width) + std::size_t(x)];
    };
    parallelRows(height, [&](int y) {
        for (int x = 0; x < width; ++x)
            at(x, y) = scene.look(rayThrough(float(x) + 0.5f, float(y) + 0.5f, width, height), pixel);
    });
    Image picture(width, height, {Depth::F32, 3});
    // A second pass smooths outlines: four rays more where neighbours lie at different distances.
    const auto isEdge = [&](int x, int y) {
        const float here = at(x, y).distance;
        for (const auto &[dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
            const float there = at(std::clamp(x + dx, 0, width - 1), std::clamp(y + dy, 0, height - 1)).distance;
            if (std::abs(here - there) > 0.04f * std::min(here, there))
                return true;
        }
        return false;
    };
    parallelRows(height, [&](int y) {
        float *row = picture.view().row<float>(y);
        for (int x = 0; x < width; ++x) {
            Vec3 colour = at(x, y).colour;
            if (isEdge(x, y)) {
                for (const auto &[dx, dy] :
                     {std::pair{0.125f, 0.375f}, {0.625f, 0.125f}, {0.375f, 0.875f}, {0.875f, 0.625f}})
                    colour += scene.look(rayThrough(float(x) + dx, float(y) + dy, width, height), pixel).colour;
                colour = colour * 0.2f;
            }
            row[3 * x] = colour.x;
            row[3 * x + 1] = colour.y;
            row[3 * x + 2] = colour.z;
        }
    });
    return picture;
}

Image developPhotograph(const Image &linear) {
    constexpr float exposure = 1.6f, white = 6.0f, contrast = 1.28f, grain = 1.3f;
    const auto develop = [](float value) {
        // A steeper middle, then a shoulder: Reinhard 2002 on a power of the light.
        const float exposed = std::pow(value * exposure, contrast);
        const float toned = clamp01(1.1f * exposed * (1.0f + exposed / (white * white)) / (1.0f + exposed));
        return toned <= 0.0031308f ? 12.92f * toned : 1.055f * std::pow(toned, 1 / 2.4f) - 0.055f; // sRGB
    };
    Image photograph(linear.width(), linear.height(), {Depth::U8, 3});
    parallelRows(linear.height(), [&](int y) {
        const float *light = linear.view().row<float>(y);
        std::uint8_t *row = photograph.view().row<std::uint8_t>(y);
        for (int x = 0; x < linear.width(); ++x) {
            const float common = gaussianNoise(x, y, 1000); // grain of film is mostly one of brightness
            for (int channel = 0; channel < 3; ++channel) {
                const float own = gaussianNoise(x, y, 1001u + static_cast<unsigned>(channel));
                const float level = 255.0f * develop(light[3 * x + channel]) + grain * (0.8f * common + 0.5f * own);
                row[3 * x + channel] = static_cast<std::uint8_t>(std::lround(std::clamp(level, 0.0f, 255.0f)));
            }
        }
    });
    return photograph;
}

} // namespace tessera::samples
