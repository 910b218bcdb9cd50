#include "app/session/kernel_analysis.h"

#include "gpu/model/svd.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace tessera {

namespace {

constexpr double rankTolerance = 1e-9;

model::Svd decomposed(const ConvolutionKernel &kernel) {
    return model::decompose(kernel.taps, kernel.height, kernel.width);
}

ConvolutionKernel firstTerm(const ConvolutionKernel &kernel, const model::Svd &svd) {
    ConvolutionKernel term = kernel;
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u)
            term.at(u, v) = svd.values[0] * svd.left[0][std::size_t(v)] * svd.right[0][std::size_t(u)];
    return term;
}

} // namespace

KernelRank analyseRank(const ConvolutionKernel &kernel) {
    const model::Svd svd = decomposed(kernel);
    KernelRank result;
    result.rank = svd.rank(rankTolerance);
    double energy = 0, largest = 0, error = 0;
    for (const double value : svd.values)
        energy += value * value;
    if (energy == 0)
        return result; // all taps 0
    result.firstShare = svd.values[0] * svd.values[0] / energy;
    const ConvolutionKernel term = firstTerm(kernel, svd);
    for (std::size_t i = 0; i < kernel.taps.size(); ++i) {
        largest = std::max(largest, std::abs(kernel.taps[i]));
        error = std::max(error, std::abs(kernel.taps[i] - term.taps[i]));
    }
    result.separableError = error / largest;
    return result;
}

std::pair<ConvolutionKernel, ConvolutionKernel> separated(const ConvolutionKernel &kernel) {
    const model::Svd svd = decomposed(kernel);
    std::vector<double> across(std::size_t(kernel.width), 0.0), down(std::size_t(kernel.height), 0.0);
    if (!svd.values.empty() && svd.values[0] > 0) {
        // The sum of the pass across is made 1 where it can be, so that what lies between the passes looks like a
        // picture.
        double sum = 0;
        for (const double value : svd.right[0])
            sum += value;
        const double scale = std::abs(sum) > 1e-6 ? 1 / sum : 1;
        for (int u = 0; u < kernel.width; ++u)
            across[std::size_t(u)] = svd.right[0][std::size_t(u)] * scale;
        for (int v = 0; v < kernel.height; ++v)
            down[std::size_t(v)] = svd.left[0][std::size_t(v)] * svd.values[0] / scale;
    }
    ConvolutionKernel first = kernel, second = kernel;
    first.height = 1;
    first.anchorY = 0;
    first.taps = across;
    first.divisor = 1.0;
    first.offset = 0;
    second.width = 1;
    second.anchorX = 0;
    second.taps = down;
    second.divisor = kernel.effectiveDivisor();
    return {first, second};
}

std::optional<std::pair<FilterStep, FilterStep>> inTwoPasses(const FilterStep &step) {
    const FilterProgram program = buildFilter(step.filter);
    if (program.kernels.size() != 1)
        return std::nullopt;
    ConvolutionKernel kernel = program.kernels.front();
    if (step.divisor)
        kernel.divisor = step.divisor;
    if (step.normalize)
        kernel = kernel.normalized();
    if (step.offset)
        kernel.offset = *step.offset;
    if (step.anchor)
        std::tie(kernel.anchorX, kernel.anchorY) = *step.anchor;
    const auto [across, down] = separated(kernel);
    FilterStep first = step, second = step;
    for (FilterStep *pass : {&first, &second}) {
        pass->anchor.reset();
        pass->divisor.reset();
        pass->offset.reset();
        pass->normalize = false;
    }
    first.filter = {"custom", {}, across};
    first.response = ResponseMode::Clamp;
    second.filter = {"custom", {}, down};
    return std::pair(first, second);
}

namespace {

using Complex = std::complex<double>;

// e^(-2 pi i f x) for every frequency and every tap of an axis, frequencies outermost.
std::vector<Complex> turns(int side, int taps, int anchor) {
    std::vector<Complex> table;
    table.reserve(std::size_t(side) * std::size_t(taps));
    for (int i = 0; i < side; ++i)
        for (int u = 0; u < taps; ++u)
            table.push_back(std::polar(1.0, -2 * std::numbers::pi * (i - side / 2) * (u - anchor) / side));
    return table;
}

} // namespace

std::vector<float> frequencyResponse(const ConvolutionKernel &kernel, int side) {
    const std::vector<Complex> across = turns(side, kernel.width, kernel.anchorX),
                               down = turns(side, kernel.height, kernel.anchorY);
    std::vector<Complex> rows(std::size_t(side) * std::size_t(kernel.height)); // [frequency across][row of taps]
    for (int i = 0; i < side; ++i)
        for (int v = 0; v < kernel.height; ++v)
            for (int u = 0; u < kernel.width; ++u)
                rows[std::size_t(i * kernel.height + v)] += kernel.at(u, v) * across[std::size_t(i * kernel.width + u)];
    const double divisor = kernel.effectiveDivisor();
    std::vector<float> response(std::size_t(side) * std::size_t(side));
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            Complex sum = 0;
            for (int v = 0; v < kernel.height; ++v)
                sum += rows[std::size_t(i * kernel.height + v)] * down[std::size_t(j * kernel.height + v)];
            response[std::size_t(j * side + i)] = float(std::abs(sum / divisor));
        }
    return response;
}

} // namespace tessera
