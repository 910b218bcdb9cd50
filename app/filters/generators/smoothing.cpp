#include "app/filters/generators/generators.h"
#include "app/filters/generators/taps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tessera {

namespace {

FilterProgram box(const Parameters &parameters) {
    const int width = parameters.integer("width"), height = parameters.integer("height");
    const int count = width * height;
    return singleKernel(ConvolutionKernel::centred(width, height, std::vector<double>(std::size_t(count), 1.0)), count);
}

FilterProgram gaussian(const Parameters &parameters) {
    const double sigma = parameters.real("sigma");
    const int radius = gaussianRadius(sigma);
    const int side = 2 * radius + 1;
    return singleKernel(ConvolutionKernel::centred(side, side, gaussianSquare(sigma, radius)));
}

// Row size - 1 of Pascal's triangle by repeated [1 1]: exact while it stays below 2^53, symmetric always.
std::vector<double> pascalRow(int size) {
    std::vector<double> row{1.0};
    while (int(row.size()) < size) {
        row.push_back(0.0);
        for (std::size_t i = row.size() - 1; i > 0; --i)
            row[i] += row[i - 1];
    }
    return row;
}

// Whole numbers as long as the sum of 8-bit pixels times taps is below 2^24 and so exact in float32; beyond that the
// same numbers scaled by a power of two, which changes no digit and keeps float32 from overflowing at large sizes.
FilterProgram binomial(const Parameters &parameters) {
    const int width = parameters.integer("width"), height = parameters.integer("height");
    std::vector<double> taps = outerProduct(pascalRow(width), pascalRow(height));
    const int exponent = width + height - 2;
    const bool whole = exponent <= 16;
    if (!whole)
        for (double &tap : taps)
            tap = std::ldexp(tap, -exponent);
    return singleKernel(ConvolutionKernel::centred(width, height, std::move(taps)),
                        whole ? std::ldexp(1.0, exponent) : 1.0);
}

// 1 2 3 2 1 or 1 2 2 1.
std::vector<double> tentLine(int size) {
    std::vector<double> line;
    for (int i = 0; i < size; ++i)
        line.push_back(std::min(i + 1, size - i));
    return line;
}

FilterProgram tent(const Parameters &parameters) {
    const std::vector<double> row = tentLine(parameters.integer("width"));
    const std::vector<double> column = tentLine(parameters.integer("height"));
    const double divisor =
        std::accumulate(row.begin(), row.end(), 0.0) * std::accumulate(column.begin(), column.end(), 0.0);
    return singleKernel(ConvolutionKernel::centred(int(row.size()), int(column.size()), outerProduct(row, column)),
                        divisor);
}

// A segment through the centre, one pixel wide: a pixel weighs 1 less its distance to the segment, so that a line of
// odd length along an axis is exactly a row of ones, and any angle keeps the line's weight without steps.
FilterProgram motionBlur(const Parameters &parameters) {
    constexpr int radius = maximumFilterSide / 2;
    const double halfLength = (parameters.real("length") - 1.0) / 2.0;
    const Direction along = directionOf(parameters.real("angle"));
    std::vector<double> taps;
    for (int y = -radius; y <= radius; ++y) {
        for (int x = -radius; x <= radius; ++x) {
            const double beyond = std::max(std::abs(x * along.x + y * along.y) - halfLength, 0.0);
            const double beside = std::abs(x * along.y - y * along.x);
            const double weight = 1.0 - std::hypot(beyond, beside);
            taps.push_back(weight > 1e-12 ? weight : 0.0);
        }
    }
    ConvolutionKernel kernel = cropped(radius, taps);
    normalizeSum(kernel.taps);
    return singleKernel(std::move(kernel));
}

// Integral of sqrt(r^2 - x^2) from 0 to x, for 0 <= x <= r.
double circleIntegral(double x, double r) {
    const double inside = std::min(x, r);
    return 0.5 * (inside * std::sqrt(std::max(r * r - inside * inside, 0.0)) + r * r * std::asin(inside / r));
}

// Area of the circle of radius r about the origin inside [x0, x1] x [y0, y1], all of them >= 0. Left of `full` the
// circle passes above the rectangle, right of `none` below it, between them through it.
double quarterCover(double x0, double x1, double y0, double y1, double r) {
    const auto crossing = [&](double y) { return y < r ? std::sqrt(r * r - y * y) : 0.0; };
    const double full = std::clamp(crossing(y1), x0, x1);
    const double none = std::clamp(crossing(y0), x0, x1);
    return (full - x0) * (y1 - y0) + circleIntegral(none, r) - circleIntegral(full, r) - (none - full) * y0;
}

// Area of the circle inside the unit square about pixel (x, y).
double pixelCover(int x, int y, double r) {
    const int right = std::abs(x), down = std::abs(y);
    const double x0 = right == 0 ? 0.0 : right - 0.5, y0 = down == 0 ? 0.0 : down - 0.5;
    const double parts = (right == 0 ? 2.0 : 1.0) * (down == 0 ? 2.0 : 1.0);
    return parts * quarterCover(x0, right + 0.5, y0, down + 0.5, r);
}

FilterProgram disk(const Parameters &parameters) {
    constexpr int radius = maximumFilterSide / 2;
    const double r = parameters.real("radius");
    std::vector<double> taps;
    for (int y = -radius; y <= radius; ++y) {
        for (int x = -radius; x <= radius; ++x) {
            // Symmetric to the last bit, whichever of the two lies further out.
            const double cover = pixelCover(std::max(std::abs(x), std::abs(y)), std::min(std::abs(x), std::abs(y)), r);
            taps.push_back(cover > 1e-12 ? cover : 0.0);
        }
    }
    ConvolutionKernel kernel = cropped(radius, taps);
    normalizeSum(kernel.taps);
    return singleKernel(std::move(kernel));
}

constexpr std::array<NamedGenerator, 6> generators{{
    {"box", box},
    {"gaussian", gaussian},
    {"binomial", binomial},
    {"motion-blur", motionBlur},
    {"disk", disk},
    {"tent", tent},
}};

} // namespace

std::span<const NamedGenerator> smoothingGenerators() { return generators; }

} // namespace tessera
