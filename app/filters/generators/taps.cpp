#include "app/filters/generators/taps.h"

#include "app/core/compensated_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace tessera {

namespace {

double sumOf(const std::vector<double> &values) {
    CompensatedSum sum;
    for (double value : values)
        sum.add(value);
    return sum.value();
}

} // namespace

FilterProgram singleKernel(ConvolutionKernel kernel, double divisor) {
    kernel.divisor = divisor;
    FilterProgram program;
    program.kernels.push_back(std::move(kernel));
    return program;
}

std::vector<double> outerProduct(const std::vector<double> &row, const std::vector<double> &column) {
    std::vector<double> taps;
    taps.reserve(row.size() * column.size());
    for (double down : column)
        for (double across : row)
            taps.push_back(down * across);
    return taps;
}

int gaussianRadius(double sigma, double reach) {
    // 3 * 1.1 is 3.3000000000000003: the small step back keeps a product that is whole in decimals from going up one.
    const int radius = static_cast<int>(std::ceil(reach * sigma - 1e-9));
    return std::clamp(radius, 1, maximumFilterSide / 2);
}

std::vector<double> gaussianLine(double sigma, int radius) {
    std::vector<double> line;
    for (int i = -radius; i <= radius; ++i)
        line.push_back(std::exp(-0.5 * i * i / (sigma * sigma)));
    normalizeSum(line);
    return line;
}

std::vector<double> gaussianSquare(double sigma, int radius) {
    const std::vector<double> line = gaussianLine(sigma, radius);
    return outerProduct(line, line);
}

void settleSum(std::vector<double> &taps, double target) {
    double &centre = taps[taps.size() / 2];
    // Twice: the first correction is itself rounded.
    for (int round = 0; round < 2; ++round)
        centre += target - sumOf(taps);
}

void normalizeSum(std::vector<double> &taps) {
    const double sum = sumOf(taps);
    for (double &tap : taps)
        tap /= sum;
}

ConvolutionKernel cropped(int radius, const std::vector<double> &taps) {
    const int side = 2 * radius + 1;
    int reachX = 0, reachY = 0;
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            if (taps[std::size_t(y) * std::size_t(side) + std::size_t(x)] == 0.0)
                continue;
            reachX = std::max(reachX, std::abs(x - radius));
            reachY = std::max(reachY, std::abs(y - radius));
        }
    }
    std::vector<double> kept;
    for (int y = radius - reachY; y <= radius + reachY; ++y)
        for (int x = radius - reachX; x <= radius + reachX; ++x)
            kept.push_back(taps[std::size_t(y) * std::size_t(side) + std::size_t(x)]);
    return ConvolutionKernel::centred(2 * reachX + 1, 2 * reachY + 1, std::move(kept));
}

Direction directionOf(double degrees) {
    constexpr double half = std::numbers::sqrt2 / 2.0;
    constexpr std::array<Direction, 8> compass{
        {{1, 0}, {half, -half}, {0, -1}, {-half, -half}, {-1, 0}, {-half, half}, {0, 1}, {half, half}}};
    const double eighths = degrees / 45.0;
    if (eighths == std::rint(eighths))
        return compass[std::size_t(static_cast<long>(eighths) % 8 + 8) % 8];
    const double radians = degrees * std::numbers::pi / 180.0;
    return {std::cos(radians), -std::sin(radians)};
}

} // namespace tessera
