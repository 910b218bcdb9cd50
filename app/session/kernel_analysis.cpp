#include "app/session/kernel_analysis.h"

#include "gpu/model/svd.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <tuple>

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
    double above = 0, below = 0;
    for (std::size_t i = 0; i < kernel.taps.size(); ++i) {
        const double difference = kernel.taps[i] - term.taps[i];
        largest = std::max(largest, std::abs(kernel.taps[i]));
        error = std::max(error, std::abs(difference));
        (difference > 0 ? above : below) += std::abs(difference);
    }
    result.separableError = error / largest;
    result.worstOutput = std::max(above, below) / std::abs(kernel.effectiveDivisor());
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

namespace {

// The kernel with the step's options in it.
ConvolutionKernel wholeKernel(const FilterStep &step) {
    const FilterProgram program = buildFilter(step.filter);
    if (program.kernels.size() != 1)
        throw Error(ErrorKind::Usage, "this filter is made of several kernels, which no two passes replace");
    ConvolutionKernel kernel = program.kernels.front();
    kernel.divisor = kernel.effectiveDivisor();
    if (step.divisor)
        kernel.divisor = step.divisor;
    if (step.normalize)
        kernel = kernel.normalized();
    if (step.offset)
        kernel.offset = *step.offset;
    if (step.anchor)
        std::tie(kernel.anchorX, kernel.anchorY) = *step.anchor;
    return kernel;
}

// What the taps of one sign add up to.
std::pair<double, double> sumsBySign(const ConvolutionKernel &kernel) {
    double positive = 0, negative = 0;
    for (const double tap : kernel.taps)
        (tap > 0 ? positive : negative) += tap;
    return {positive, negative};
}

// Zero but for the rounding of the factorization.
bool oneSign(const ConvolutionKernel &kernel) {
    const auto [positive, negative] = sumsBySign(kernel);
    return std::min(positive, -negative) <= 1e-9 * std::max(positive, -negative);
}

void scaleTaps(ConvolutionKernel &kernel, double factor) {
    for (double &tap : kernel.taps)
        tap *= factor;
}

// A mean: what it gives lies between the least and the greatest of what it takes.
void makeMean(ConvolutionKernel &first, ConvolutionKernel &second) {
    const double sum = first.sum();
    scaleTaps(first, 1 / sum);
    scaleTaps(second, sum);
    for (double &tap : first.taps)
        tap = std::max(tap, 0.0);
}

// Scaled and shifted into 0..maximum, and back by the second pass.
void shiftBetween(FilterStep &first, FilterStep &second, double maximum) {
    ConvolutionKernel &across = first.filter.kernel, &down = second.filter.kernel;
    const auto [positive, negative] = sumsBySign(across);
    scaleTaps(across, 1 / (positive - negative));
    scaleTaps(down, positive - negative);
    const double sum = across.sum(), shift = -maximum * negative / (positive - negative);
    across.offset = shift;
    down.offset -= shift * down.sum() / down.effectiveDivisor();
    if (second.border.mode == BorderMode::Zero || second.border.mode == BorderMode::Constant) {
        const double outside = second.border.mode == BorderMode::Constant ? second.border.constant : 0.0;
        second.border = {BorderMode::Constant, outside * sum + shift}; // what the first pass makes of the outside
    }
}

bool selectsAlpha(const ChannelSelection &channels) {
    return channels.kind == ChannelSelection::Kind::Rgba ||
           (channels.kind == ChannelSelection::Kind::Mask && (channels.mask & 8u) != 0);
}

} // namespace

std::pair<FilterStep, FilterStep> inTwoPasses(const FilterStep &step, double maximum) {
    const ConvolutionKernel kernel = wholeKernel(step);
    const auto [across, down] = separated(kernel);
    FilterStep first = step, second = step;
    for (FilterStep *pass : {&first, &second}) {
        pass->anchor.reset();
        pass->divisor.reset();
        pass->offset.reset();
        pass->normalize = false;
        if (step.alpha == AlphaMode::Automatic && kernel.hasNegativeTaps()) // the passes alone might say otherwise
            pass->alpha = selectsAlpha(step.channels) ? AlphaMode::Independent : AlphaMode::Preserve;
    }
    first.response = ResponseMode::Clamp;
    const bool downFirst = !oneSign(across) && oneSign(down);
    first.filter = {"custom", {}, downFirst ? down : across};
    second.filter = {"custom", {}, downFirst ? across : down};
    first.filter.kernel.divisor = 1.0;
    second.filter.kernel.divisor = kernel.effectiveDivisor();
    first.filter.kernel.offset = 0;
    second.filter.kernel.offset = kernel.offset;
    if (oneSign(first.filter.kernel)) {
        if (first.filter.kernel.sum() != 0)
            makeMean(first.filter.kernel, second.filter.kernel);
    } else {
        if (step.linear || step.channels.kind == ChannelSelection::Kind::Luma)
            throw Error(ErrorKind::Usage,
                        "both passes of this kernel give values below 0, which would be cut off between them",
                        step.linear ? "filter stored values instead of linear light" : "filter all colours instead");
        shiftBetween(first, second, maximum);
    }
    return {first, second};
}

ImpulseResponse impulseResponse(const ConvolutionKernel &kernel, bool flip) {
    const ConvolutionKernel seen = flip ? kernel : kernel.rotated180();
    ImpulseResponse response{seen.width, seen.height, seen.anchorX, seen.anchorY, seen.taps};
    for (double &value : response.values)
        value /= kernel.effectiveDivisor();
    return response;
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

std::vector<double> frequencyCourse(const ConvolutionKernel &kernel, bool across, int intervals) {
    std::vector<double> sums(std::size_t(across ? kernel.width : kernel.height)); // of columns, or of rows
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u)
            sums[std::size_t(across ? u : v)] += kernel.at(u, v);
    const double divisor = kernel.effectiveDivisor();
    std::vector<double> course(std::size_t(intervals) + 1);
    for (int i = 0; i <= intervals; ++i) {
        Complex sum = 0;
        for (std::size_t k = 0; k < sums.size(); ++k)
            sum += sums[k] * std::polar(1.0, std::numbers::pi * i / intervals * double(k));
        course[std::size_t(i)] = std::abs(sum / divisor);
    }
    return course;
}

} // namespace tessera
