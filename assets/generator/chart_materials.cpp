// The chart's panels of texture, noise, colour and transparency.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "assets/generator/chart.h"
#include "assets/generator/noise.h"

namespace tessera::samples {

namespace {

// Veins where a warped fractal passes through zero: polished stone.
Paint marble(float x, float y) {
    const float warp = fractalNoise(0.012f * x, 0.012f * y, 6, 60);
    const float vein = std::abs(2.0f * fractalNoise(0.02f * x + 2.2f * warp, 0.02f * y, 6, 66) - 1.0f);
    const float body = fractalNoise(0.05f * x, 0.05f * y, 7, 75);
    const Vec3 stone = mix(Vec3{0.66f, 0.60f, 0.52f}, Vec3{0.93f, 0.89f, 0.82f}, body);
    return Paint(mix(Vec3{0.30f, 0.34f, 0.38f}, stone, smoothStep(0.0f, 0.16f, vein)));
}

// Threads over and under each other, each a little different: regular, so that it aliases and shows moire.
Paint weave(float x, float y) {
    constexpr float spacing = 6.0f;
    const int warp = static_cast<int>(x / spacing), weft = static_cast<int>(y / spacing);
    const float acrossX = x / spacing - float(warp) - 0.5f, acrossY = y / spacing - float(weft) - 0.5f;
    const bool warpOnTop = (warp + weft) % 2 == 0;
    const float across = warpOnTop ? acrossX : acrossY, along = warpOnTop ? acrossY : acrossX;
    const float round = std::sqrt(std::max(0.0f, 1.0f - 3.4f * across * across)) * (1.0f - 0.9f * along * along);
    const float own = warpOnTop ? uniformNoise(warp, 0, 80) : uniformNoise(0, weft, 81);
    const float fibre = 0.12f * (uniformNoise(static_cast<int>(x), static_cast<int>(y), 82) - 0.5f);
    const Vec3 thread = warpOnTop ? Vec3{0.20f, 0.42f, 0.52f} : Vec3{0.80f, 0.62f, 0.36f};
    return Paint(thread * (0.25f + 0.85f * round + 0.25f * (own - 0.5f) + fibre));
}

Vec3 fromHue(float hue, float lightness, float saturation) {
    // Three cosines a third of a turn apart: a smooth circle of hues without the corners of HSV.
    const auto channel = [&](float shift) { return std::cos(2.0f * std::numbers::pi_v<float> * (hue - shift)); };
    const Vec3 tint{channel(0.0f), channel(1.0f / 3), channel(2.0f / 3)};
    const float room = saturation * std::min(lightness, 1.0f - lightness);
    return Vec3{lightness, lightness, lightness} + tint * room;
}

} // namespace

void drawTexture(const Panel &panel) {
    const int half = panel.width() / 2;
    panel.part({0, 0, half, panel.height()}).fill(marble);
    panel.part({half, 0, panel.width() - half, panel.height()}).fill(weave);
}

// Six kinds on a mid grey: gaussian of three deviations, uniform, impulses, and coloured gaussian.
void drawNoise(const Panel &panel) {
    const int column = panel.width() / 3, row = panel.height() / 2;
    panel.fill([&](float x, float y) {
        const int pixelX = static_cast<int>(x), pixelY = static_cast<int>(y);
        const int kind = std::min(pixelX / column, 2) + 3 * std::min(pixelY / row, 1);
        const float gaussian = gaussianNoise(pixelX, pixelY, 90), uniform = uniformNoise(pixelX, pixelY, 91);
        switch (kind) {
        case 0:
            return Paint(0.5f + 0.02f * gaussian);
        case 1:
            return Paint(0.5f + 0.06f * gaussian);
        case 2:
            return Paint(0.5f + 0.18f * gaussian);
        case 3:
            return Paint(uniform);
        case 4:
            return Paint(uniform < 0.03f ? 0.0f : uniform > 0.97f ? 1.0f : 0.5f);
        default:
            return Paint(Vec3{0.5f + 0.12f * gaussian, 0.5f + 0.12f * gaussianNoise(pixelX, pixelY, 93),
                              0.5f + 0.12f * gaussianNoise(pixelX, pixelY, 94)});
        }
    });
}

// Patches: hues from left to right, lightness from top to bottom, the last row without saturation.
void drawColours(const Panel &panel) {
    constexpr int hues = 12, levels = 7;
    panel.fill([&](float x, float y) {
        const int column = std::min(static_cast<int>(x * hues / float(panel.width())), hues - 1);
        const int row = std::min(static_cast<int>(y * (levels + 1) / float(panel.height())), levels);
        if (row == levels)
            return Paint(float(column) / float(hues - 1));
        return Paint(fromHue(float(column) / hues, 0.88f - 0.115f * float(row), 0.95f));
    });
}

// Discs that fade out, a ramp of alpha, and a part that is fully transparent but holds bright red: a filter that
// mixes colour without regard to alpha draws red fringes here.
void drawAlpha(const Panel &panel) {
    constexpr Vec3 discColours[] = {{0.95f, 0.35f, 0.25f}, {0.25f, 0.75f, 0.45f}, {0.30f, 0.45f, 0.95f}};
    const int band = panel.height() * 2 / 5;
    panel.part({0, 0, panel.width(), band}).fill([&](float x, float y) {
        const int index = std::min(static_cast<int>(3 * x / float(panel.width())), 2);
        const float dx = x - (float(index) + 0.5f) * float(panel.width()) / 3, dy = y - 0.5f * float(band);
        const float away = std::sqrt(dx * dx + dy * dy) / (0.46f * float(band));
        return Paint(discColours[index], 1.0f - smoothStep(0.35f + 0.2f * float(index), 1.0f, away));
    });
    const int second = band + panel.height() / 5;
    panel.part({0, band, panel.width(), second - band}).fill([&](float x, float) {
        return Paint(Vec3{0.15f, 0.15f, 0.18f}, (x - 0.5f) / float(panel.width() - 1));
    });
    const Panel window = panel.part({0, second, panel.width(), panel.height() - second});
    window.fill([&](float x, float y) {
        const bool checked = (static_cast<int>(x) / 24 + static_cast<int>(y) / 24) % 2 == 0;
        return checked ? Paint(Vec3{0.20f, 0.55f, 0.65f}) : Paint(Vec3{1, 0, 0}, 0.0f);
    });
    window.write(30, 30, "GLASS", 8, Vec3{0.10f, 0.11f, 0.14f});
}

} // namespace tessera::samples
