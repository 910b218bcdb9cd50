// The chart's measuring panels: known functions of position, whose filtered form can be worked out.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <string_view>

#include "assets/generator/chart.h"

namespace tessera::samples {

namespace {
constexpr float pi = std::numbers::pi_v<float>;
}

// Four smooth ramps over the whole range, a wedge of 17 steps, and steps of one 8-bit level at either end.
void drawRamps(const Panel &panel) {
    constexpr Vec3 ends[] = {{1, 1, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int band = panel.height() / 7;
    for (int index = 0; index < 4; ++index)
        panel.part({0, index * band, panel.width(), band}).fill([&](float x, float) {
            return Paint(ends[index] * ((x - 0.5f) / float(panel.width() - 1)));
        });
    panel.part({0, 4 * band, panel.width(), band}).fill([&](float x, float) {
        return Paint(std::floor(x * 17.0f / float(panel.width())) / 16.0f);
    });
    panel.part({0, 5 * band, panel.width(), band}).fill([&](float x, float) {
        return Paint(std::floor(x * 12.0f / float(panel.width())) / 255.0f);
    });
    panel.part({0, 6 * band, panel.width(), panel.height() - 6 * band}).fill([&](float x, float) {
        return Paint(1.0f - std::floor(x * 12.0f / float(panel.width())) / 255.0f);
    });
}

// cos(pi r^2 / (2 R)): the frequency grows from 0 in the middle to half a cycle a pixel at the radius R.
void drawZonePlate(const Panel &panel) {
    const float middleX = 0.5f * float(panel.width()), middleY = 0.5f * float(panel.height());
    const float reach = std::max(middleX, middleY);
    panel.fill([&](float x, float y) {
        const float squared = (x - middleX) * (x - middleX) + (y - middleY) * (y - middleY);
        return Paint(0.5f + 0.5f * std::cos(pi * squared / (2.0f * reach)));
    });
}

// Two squares turned by 5 degrees, at full and at low contrast: for edge spread, as in ISO 12233.
void drawSlantedEdges(const Panel &panel) {
    const float sine = std::sin(5.0f * pi / 180.0f), cosine = std::cos(5.0f * pi / 180.0f);
    const float half = 0.5f * float(panel.width());
    panel.fillSmooth([&](float x, float y) {
        const bool left = x < half;
        const float fromX = x - (left ? 0.5f * half : 1.5f * half), fromY = y - 0.5f * float(panel.height());
        const float turnedX = cosine * fromX + sine * fromY, turnedY = cosine * fromY - sine * fromX;
        const bool inside = std::abs(turnedX) < 0.32f * half && std::abs(turnedY) < 0.34f * float(panel.height());
        if (left)
            return Paint(inside ? 0.02f : 0.98f);
        return Paint(inside ? 0.60f : 0.40f);
    });
}

void drawStar(const Panel &panel) {
    constexpr float cycles = 36;
    const float middleX = 0.5f * float(panel.width()), middleY = 0.5f * float(panel.height());
    const float radius = 0.47f * float(std::min(panel.width(), panel.height()));
    panel.fillSmooth([&](float x, float y) {
        const float dx = x - middleX, dy = y - middleY;
        if (dx * dx + dy * dy > radius * radius)
            return Paint(0.82f);
        return Paint(std::sin(cycles * std::atan2(dy, dx)) > 0 ? 0.04f : 0.96f);
    });
}

void drawText(const Panel &panel) {
    panel.part({0, 0, panel.width(), panel.height() * 3 / 5}).fill([](float, float) { return Paint(0.96f); });
    const int dark = panel.height() * 3 / 5;
    panel.part({0, dark, panel.width(), panel.height() - dark}).fill([](float, float) { return Paint(0.10f); });
    panel.write(10, 10, "Mosaic", 5, Paint(0.05f));
    panel.write(10, 54, "tesserae of glass", 2, Vec3{0.65f, 0.10f, 0.08f});
    panel.write(10, 78, "and stone, laid one by one, make the picture.", 1, Paint(0.05f));
    panel.write(10, 92, "0123456789 + - = % ( ) / : . ,", 1, Paint(0.30f));
    panel.write(10, 106, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1, Paint(0.55f));
    panel.write(10, 120, "abcdefghijklmnopqrstuvwxyz", 1, Paint(0.75f));
    panel.write(10, dark + 10, "Light on dark", 3, Paint(0.95f));
    panel.write(10, dark + 40, "amber, teal, violet", 2, Vec3{0.98f, 0.74f, 0.32f});
    panel.write(10, dark + 62, "the least sizes show what a blur takes away", 1, Vec3{0.36f, 0.80f, 0.78f});
    panel.write(10, dark + 76, "and what no sharpening will bring back", 1, Vec3{0.70f, 0.62f, 0.95f});
}

// Bars of 1, 2, 3, 4 and 6 pixels: upright in the upper half, level in the lower, and a check below.
void drawLinePairs(const Panel &panel) {
    constexpr int sizes[] = {1, 2, 3, 4, 6};
    const int column = panel.width() / static_cast<int>(std::size(sizes));
    const int third = panel.height() / 3;
    panel.fill([&](float x, float y) {
        const int size = sizes[std::min(static_cast<int>(x) / column, 4)];
        const int stepX = static_cast<int>(x) % column / size, stepY = static_cast<int>(y) % third / size;
        const int kind = std::min(static_cast<int>(y) / third, 2);
        const int parity = kind == 0 ? stepX : kind == 1 ? stepY : stepX + stepY;
        return Paint(parity % 2 == 0 ? 0.0f : 1.0f);
    });
}

// Single pixels, small blocks and lines on black: a filtered impulse is the filter's kernel, turned by 180 degrees.
void drawImpulses(const Panel &panel) {
    panel.fill([](float, float) { return Paint(0.0f); });
    const int half = panel.height() / 2;
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 5; ++column) {
            const int x = 30 + 60 * column, y = 22 + 42 * row;
            const float level = 1.0f - 0.18f * float(column);
            for (int dy = 0; dy <= row; ++dy)
                for (int dx = 0; dx <= row; ++dx)
                    panel.set(x + dx, y + dy, row == 0 && column == 4 ? Paint(Vec3{1, 0.6f, 0.1f}) : Paint(level));
        }
    panel.part({0, half + 10, panel.width(), panel.height() - half - 10}).fillSmooth([&](float x, float y) {
        // Lines of one pixel's width: level, upright and three slanted ones that fan out.
        const float left = 150.0f;
        if (x < left)
            return Paint(std::abs(y - 40.5f) < 0.5f || std::abs(x - 40.5f) < 0.5f ? 1.0f : 0.0f);
        for (const float slope : {0.1f, 0.35f, 0.8f})
            if (std::abs(y - 8.0f - slope * (x - left)) < 0.5f * std::sqrt(1.0f + slope * slope))
                return Paint(1.0f);
        return Paint(0.0f);
    });
}

// Gaussians of sigma 1, 2, 4, 8, 11 and 16 pixels, bright on dark and dark on bright: the answer of a Laplacian of
// Gaussian is largest where its sigma is theirs (Lindeberg 1998).
void drawBlobs(const Panel &panel) {
    struct Blob {
        float x, y, sigma;
    };
    constexpr Blob blobs[] = {{18, 24, 1}, {48, 24, 2}, {92, 30, 4}, {160, 36, 8}, {240, 60, 16}, {70, 84, 11}};
    const int half = panel.height() / 2;
    panel.fill([&](float x, float y) {
        const bool lower = y >= float(half);
        float sum = 0;
        for (const Blob &blob : blobs) {
            const float dx = x - blob.x, dy = y - (lower ? float(half) : 0.0f) - blob.y;
            sum += std::exp(-(dx * dx + dy * dy) / (2 * blob.sigma * blob.sigma));
        }
        return Paint(lower ? 0.85f - 0.75f * sum : 0.12f + 0.8f * sum);
    });
}

} // namespace tessera::samples
