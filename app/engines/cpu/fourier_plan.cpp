#include "app/engines/cpu/fourier_plan.h"

#include "app/engines/cpu/source_rows.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace tessera::cpu {

namespace {

// More than its sum of parts says as the tile and the spectrum leave the second-level cache.
double costOfTileSample(int width, int height, const MethodCosts &costs) {
    const int halvings = std::countr_zero(unsigned(width)) + std::countr_zero(unsigned(height));
    const double cost = costs.fourierSample + costs.halving * halvings;
    const double megabytes = 16.0 * width * height / double(1 << 20);
    return cost * (megabytes <= 0.5 ? 1.0 : megabytes <= 1.0 ? 1.15 : megabytes <= 2.0 ? 1.45 : 1.8);
}

// Tiles in pairs, side by side; those at the rim are computed whole.
double costOfTiles(int width, int height, const Rectangle &core, const PictureShape &picture,
                   const MethodCosts &costs) {
    const int usedWidth = width - core.width + 1, usedHeight = height - core.height + 1;
    const double pairs = std::ceil(picture.width / (2.0 * usedWidth)) * std::ceil(picture.height / double(usedHeight));
    const double samples = pairs * 2.0 * width * height;
    return samples * costOfTileSample(width, height, costs) / (double(picture.width) * double(picture.height));
}

} // namespace

FourierFactors fourierFactors(int count) {
    FourierFactors factors;
    factors.count = count;
    for (int block = count; block >= 4; block /= 4) {
        for (int j = 0; j < block / 4; ++j) {
            for (int power = 1; power <= 3; ++power) {
                const double angle = -2.0 * std::numbers::pi * j * power / block;
                factors.values.push_back(float(std::cos(angle)));
                factors.values.push_back(float(std::sin(angle)));
            }
        }
    }
    return factors;
}

FourierChoice chooseFourierTile(const Rectangle &core, const PictureShape &picture, const MethodCosts &costs) {
    constexpr int smallest = 32;
    FourierChoice best;
    best.cost = std::numeric_limits<double>::infinity();
    for (int height = smallest; height <= maximumFourierSize; height *= 2) {
        for (int width = smallest; width <= maximumFourierSize; width *= 2) {
            if (width < core.width || height < core.height)
                continue;
            const double cost = costOfTiles(width, height, core, picture, costs);
            if (cost < best.cost)
                best = {width, height, cost};
        }
    }
    return best;
}

FourierPlan planFourier(const ConvolutionKernel &kernel, int tileWidth, int tileHeight, const SimdKernels &simd) {
    FourierPlan plan;
    plan.width = tileWidth;
    plan.height = tileHeight;
    plan.usedWidth = tileWidth - kernel.width + 1;
    plan.usedHeight = tileHeight - kernel.height + 1;
    plan.rowFactors = fourierFactors(tileWidth);
    plan.columnFactors = fourierFactors(tileHeight);

    RowBuffer planes;
    planes.resize(2 * tileHeight, tileWidth);
    FourierTile tile{planes.row(0), planes.row(tileHeight), tileWidth, tileHeight, planes.pitch()};
    for (int y = 0; y < 2 * tileHeight; ++y)
        std::fill_n(planes.row(y), tileWidth, 0.0f);
    // A correlation: the tap that looks u to the right acts like a shift by u to the left.
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u)
            planes.row((tileHeight - v) % tileHeight)[(tileWidth - u) % tileWidth] = float(kernel.at(u, v));
    plan.spectrum.resize(2 * std::size_t(tileWidth) * std::size_t(tileHeight));
    simd.fourier.forwardColumns(tile, plan.columnFactors);
    // Real and imaginary part, each of a sum, a product of complex numbers and the sum again.
    plan.growth = float(8.0 * tileWidth * tileHeight * std::max(1.0, kernel.magnitude()));
    const float scale = 1.0f / (float(tileWidth) * float(tileHeight)); // a power of two: exact
    simd.fourier.spectrumOfRows(tile, plan.rowFactors, scale, plan.spectrum.data());
    return plan;
}

} // namespace tessera::cpu
