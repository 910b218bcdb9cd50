#include "app/filters/generators/generators.h"
#include "app/filters/generators/taps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace tessera {

namespace {

// The picture plus its slope away from the light. The direction is scaled so that its larger part is 1: light from the
// upper left gives the usual -2 -1 0 / -1 1 1 / 0 1 2.
FilterProgram emboss(const Parameters &parameters) {
    const Direction light = directionOf(parameters.real("angle"));
    const double depth = parameters.real("depth") / std::max(std::abs(light.x), std::abs(light.y));
    std::vector<double> taps;
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x)
            taps.push_back(-depth * (x * light.x + y * light.y));
    taps[4] = 1.0;
    return singleKernel(ConvolutionKernel::centred(3, 3, std::move(taps)));
}

FilterProgram outline(const Parameters &) {
    return singleKernel(ConvolutionKernel::centred(3, 3, {-1, -1, -1, -1, 8, -1, -1, -1, -1}));
}

FilterProgram identity(const Parameters &) { return singleKernel(ConvolutionKernel::centred(1, 1, {1.0})); }

// output(x, y) = picture(x - dx, y - dy): the anchor lies dx, dy from the single tap, in the smallest kernel that
// holds both.
FilterProgram shift(const Parameters &parameters) {
    const int dx = parameters.integer("dx"), dy = parameters.integer("dy");
    const int width = std::abs(dx) + 1, height = std::abs(dy) + 1;
    ConvolutionKernel kernel =
        ConvolutionKernel::centred(width, height, std::vector<double>(std::size_t(width) * std::size_t(height), 0.0));
    kernel.at(std::max(-dx, 0), std::max(-dy, 0)) = 1.0;
    kernel.anchorX = std::max(dx, 0);
    kernel.anchorY = std::max(dy, 0);
    return singleKernel(std::move(kernel));
}

constexpr std::array<NamedGenerator, 5> generators{{
    {"emboss", emboss},
    {"outline", outline},
    {"identity", identity},
    {"shift", shift},
    {"custom", identity},
}};

} // namespace

std::span<const NamedGenerator> effectGenerators() { return generators; }

} // namespace tessera
