#include "app/filters/decomposition.h"

#include "gpu/model/svd.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {

namespace {

double sumOf(const std::vector<double> &values) { return std::accumulate(values.begin(), values.end(), 0.0); }

void scale(std::vector<double> &values, double factor) {
    for (double &value : values)
        value *= factor;
}

void turnSigns(SeparableTerm &term) {
    scale(term.row, -1.0);
    scale(term.column, -1.0);
}

// The largest whole number that divides all, themselves whole; 1 where they are too large to be exact.
double commonDivisor(const std::vector<double> &values) {
    constexpr double exactIntegers = 9'007'199'254'740'992.0; // 2^53
    long long divisor = 0;
    for (double value : values) {
        if (std::abs(value) > exactIntegers || value != std::rint(value))
            return 1.0;
        divisor = std::gcd(divisor, static_cast<long long>(value));
    }
    return divisor == 0 ? 1.0 : double(divisor);
}

// Factors of whole numbers: the row of the largest tap without its common divisor; the column then is whole as well.
// Empty where that does not give the kernel exactly.
std::optional<SeparableTerm> wholeFactors(const ConvolutionKernel &kernel) {
    const auto larger = [](double a, double b) { return std::abs(a) < std::abs(b); };
    const auto place = std::max_element(kernel.taps.begin(), kernel.taps.end(), larger) - kernel.taps.begin();
    const int pivotU = int(place) % kernel.width, pivotV = int(place) / kernel.width;
    SeparableTerm term;
    for (int u = 0; u < kernel.width; ++u)
        term.row.push_back(kernel.at(u, pivotV));
    const double divisor = commonDivisor(term.row);
    for (double &tap : term.row)
        tap /= divisor; // exact, as a product with 1 / divisor would not be
    for (int v = 0; v < kernel.height; ++v)
        term.column.push_back(kernel.at(pivotU, v) / term.row[std::size_t(pivotU)]);
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u)
            if (term.column[std::size_t(v)] * term.row[std::size_t(u)] != kernel.at(u, v) ||
                term.row[std::size_t(u)] != std::rint(term.row[std::size_t(u)]))
                return std::nullopt;
    if (sumOf(term.row) < 0.0) // a smoothing row with positive taps reads better than two signs that cancel
        turnSigns(term);
    return term;
}

// The row scaled to a sum of 1, or where it has none to a length of 1, with the rest in the column.
SeparableTerm balanced(SeparableTerm term) {
    double magnitude = 0.0;
    for (double tap : term.row)
        magnitude += std::abs(tap);
    const double sum = sumOf(term.row);
    if (std::abs(sum) <= 1e-9 * magnitude) {
        if (sumOf(term.column) < 0.0)
            turnSigns(term);
        return term;
    }
    scale(term.row, 1.0 / sum);
    scale(term.column, sum);
    return term;
}

TwoPasses passesOf(const ConvolutionKernel &kernel, const SeparableTerm &term) {
    TwoPasses passes;
    passes.horizontal = ConvolutionKernel::centred(kernel.width, 1, term.row, kernel.name);
    passes.horizontal.anchorX = kernel.anchorX;
    passes.vertical = ConvolutionKernel::centred(1, kernel.height, term.column, kernel.name);
    passes.vertical.anchorY = kernel.anchorY;
    passes.vertical.offset = kernel.offset;
    const double across = sumOf(term.row), down = sumOf(term.column), divisor = kernel.effectiveDivisor();
    const bool shared = across != 0.0 && std::abs(across * down - divisor) <= 1e-12 * std::abs(divisor);
    passes.horizontal.divisor = shared ? across : 1.0;
    passes.vertical.divisor = shared ? divisor / across : divisor;
    return passes;
}

} // namespace

double KernelDecomposition::relativeError(int count) const {
    double all = 0.0, left = 0.0;
    for (std::size_t k = singularValues.size(); k-- > 0;) { // the small ones first, so that none is lost
        all += singularValues[k] * singularValues[k];
        if (k >= std::size_t(std::max(count, 0)))
            left = all;
    }
    return all > 0.0 ? std::sqrt(left / all) : 0.0;
}

KernelDecomposition decomposeKernel(const ConvolutionKernel &kernel, double tolerance) {
    model::Svd svd = model::decompose(kernel.taps, kernel.height, kernel.width);
    KernelDecomposition result;
    result.rank = svd.rank(tolerance);
    for (std::size_t k = 0; k < std::size_t(result.rank); ++k) {
        SeparableTerm term{std::move(svd.right[k]), std::move(svd.left[k])};
        scale(term.column, svd.values[k]);
        result.terms.push_back(std::move(term));
    }
    result.singularValues = std::move(svd.values);
    return result;
}

std::optional<TwoPasses> separateKernel(const ConvolutionKernel &kernel, double tolerance) {
    const KernelDecomposition decomposition = decomposeKernel(kernel, tolerance);
    if (decomposition.rank != 1)
        return std::nullopt;
    if (const std::optional<SeparableTerm> whole = wholeFactors(kernel))
        return passesOf(kernel, *whole);
    return passesOf(kernel, balanced(decomposition.terms.front()));
}

} // namespace tessera
