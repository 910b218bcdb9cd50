#include "assets/generator/chart.h"

#include <string_view>

namespace tessera::samples {

namespace {

struct ChartPanel {
    std::string_view label;
    void (*draw)(const Panel &);
};

constexpr ChartPanel panels[] = {
    {"RAMPS AND STEPS", drawRamps},
    {"ZONE PLATE", drawZonePlate},
    {"SLANTED EDGES 5 DEGREES", drawSlantedEdges},
    {"STAR 36 CYCLES", drawStar},
    {"TEXT", drawText},
    {"LINE PAIRS 1 2 3 4 6 PX", drawLinePairs},
    {"IMPULSES AND LINES", drawImpulses},
    {"BLOBS SIGMA 1 - 16 PX", drawBlobs},
    {"TEXTURE 1/F AND WEAVE", drawTexture},
    {"NOISE", drawNoise},
    {"HUE AND LIGHTNESS", drawColours},
    {"ALPHA", drawAlpha},
};

constexpr int chartWidth = 1280, chartHeight = 960;
constexpr int columns = 4, rows = 3;
constexpr int titleHeight = 48, gap = 16, labelHeight = 22;
constexpr int cellWidth = (chartWidth - (columns + 1) * gap) / columns;
constexpr int cellHeight = (chartHeight - titleHeight - rows * gap) / rows;
static_assert(std::size(panels) == columns * rows);

} // namespace

Image drawChart() {
    Image picture(chartWidth, chartHeight, {Depth::F32, 4});
    const Panel all(picture, {0, 0, chartWidth, chartHeight});
    all.fill([](float, float) { return Paint(0.5f); });
    all.part({0, 0, chartWidth, titleHeight - gap / 2}).fill([](float, float) { return Paint(0.12f); });
    all.write(gap, 9, "TESSERA", 3, Vec3{0.98f, 0.74f, 0.32f});
    all.write(gap + 7 * 18 + 18, 13, "test chart   1280 x 960   RGBA", 2, Paint(0.85f));
    for (int index = 0; index < columns * rows; ++index) {
        const int x = gap + index % columns * (cellWidth + gap);
        const int y = titleHeight + index / columns * (cellHeight + gap);
        all.write(x, y + 2, panels[index].label, 2, Paint(0.06f));
        panels[index].draw(all.part({x, y + labelHeight, cellWidth, cellHeight - labelHeight}));
    }
    return picture;
}

} // namespace tessera::samples
