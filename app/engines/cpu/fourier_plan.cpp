#include "app/engines/cpu/fourier_plan.h"

#include "app/engines/cpu/source_rows.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace tessera::cpu {

namespace {

// What a sample of a tile costs, in the time of a dense multiply-add (tests/bench/cpu-notes.md): a part for filling and
// emptying the tile, one for every halving of its sides, there and back, and more as the tile and the spectrum leave
// the second-level cache.
double costOfSample(int width, int height) {
    constexpr double filling = 60, halving = 5;
    const double cost = filling + halving * (std::countr_zero(unsigned(width)) + std::countr_zero(unsigned(height)));
    const double megabytes = 16.0 * width * height / double(1 << 20);
    return cost * (megabytes <= 0.5 ? 1.0 : megabytes <= 1.0 ? 1.15 : megabytes <= 2.0 ? 1.45 : 1.8);
}

double costOfTiles(int width, int height, int kernelWidth, int kernelHeight, int pictureWidth, int pictureHeight) {
    const int usedWidth = width - kernelWidth + 1, usedHeight = height - kernelHeight + 1;
    const double pairs = std::ceil(pictureWidth / (2.0 * usedWidth)) * std::ceil(pictureHeight / double(usedHeight));
    return pairs * 2.0 * width * height * costOfSample(width, height);
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

FourierChoice chooseFourierTile(int kernelWidth, int kernelHeight, int pictureWidth, int pictureHeight) {
    constexpr int smallest = 32;
    FourierChoice best;
    best.cost = std::numeric_limits<double>::infinity();
    for (int height = smallest; height <= maximumFourierSize; height *= 2) {
        for (int width = smallest; width <= maximumFourierSize; width *= 2) {
            if (width < kernelWidth || height < kernelHeight)
                continue;
            const double cost = costOfTiles(width, height, kernelWidth, kernelHeight, pictureWidth, pictureHeight);
            if (cost < best.cost)
                best = {width, height, cost};
        }
    }
    return best;
}

FourierPlan planFourier(const ConvolutionKernel &kernel, const FourierChoice &choice, const SimdKernels &simd) {
    FourierPlan plan;
    plan.width = choice.width;
    plan.height = choice.height;
    plan.usedWidth = choice.width - kernel.width + 1;
    plan.usedHeight = choice.height - kernel.height + 1;
    plan.rowFactors = fourierFactors(choice.width);
    plan.columnFactors = fourierFactors(choice.height);

    RowBuffer planes;
    planes.resize(2 * choice.height, choice.width);
    FourierTile tile{planes.row(0), planes.row(choice.height), choice.width, choice.height, planes.pitch()};
    for (int y = 0; y < 2 * choice.height; ++y)
        std::fill_n(planes.row(y), choice.width, 0.0f);
    // A correlation: the tap that looks u to the right acts like a shift by u to the left.
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u)
            planes.row((choice.height - v) % choice.height)[(choice.width - u) % choice.width] = float(kernel.at(u, v));
    plan.spectrum.resize(2 * std::size_t(choice.width) * std::size_t(choice.height));
    simd.fourier.forwardColumns(tile, plan.columnFactors);
    const float scale = 1.0f / (float(choice.width) * float(choice.height)); // a power of two: exact
    simd.fourier.spectrumOfRows(tile, plan.rowFactors, scale, plan.spectrum.data());
    return plan;
}

} // namespace tessera::cpu
