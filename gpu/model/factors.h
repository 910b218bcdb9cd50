// A filter as a sum of separable ones: taps(u, v) = sum over terms of down[v] * across[u].
//
// From the singular value decomposition, the largest values first. Each term replaces width * height multiply-adds by
// width + height, so that few terms pay and many do not.
#pragma once

#include "gpu/image/taps.h"
#include "gpu/model/svd.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera::model {

struct SeparableTerm {
    std::vector<float> across; // taps.width factors
    std::vector<float> down;   // taps.height
};

struct SeparableFactors {
    std::vector<SeparableTerm> terms; // at least one
    double residual = 0.0; // sum of |taps(u, v) - sum of the terms|, of the factors as rounded to float
    double gain = 0.0;     // sum over terms of (sum of |across|) * (sum of |down|): what rounding errors grow with
    bool exact = false;    // the residual is within what rounding the taps to float costs anyway
};

// A residual of this share of the sum of |taps| is as good as none: each tap's own rounding is up to 2^-25 of it.
inline constexpr double exactShare = 0x1p-22;

namespace detail {

inline double sumOfMagnitudes(const std::vector<float> &values) {
    double sum = 0.0;
    for (const float value : values)
        sum += std::fabs(double(value));
    return sum;
}

inline SeparableTerm termOf(const Svd &svd, std::size_t k) {
    SeparableTerm term;
    const double root = std::sqrt(svd.values[k]);
    for (const double entry : svd.right[k])
        term.across.push_back(float(entry * root));
    for (const double entry : svd.left[k])
        term.down.push_back(float(entry * root));
    return term;
}

inline double sumOfMagnitudes(const Taps &taps) {
    double sum = 0.0;
    for (int i = 0; i < taps.count(); ++i)
        sum += std::fabs(double(taps.value[i]));
    return sum;
}

// The row and the column that cross in the largest tap: all there is to a filter of rank 1, and found without the
// decomposition. Whole numbers stay whole (the row gives up its common divisor), so that sums of 8-bit pixels are exact.
inline SeparableTerm crossOf(const Taps &taps) {
    const auto smaller = [](float a, float b) { return std::fabs(a) < std::fabs(b); };
    const auto largest = int(std::max_element(taps.value, taps.value + taps.count(), smaller) - taps.value);
    const int pivotColumn = largest % taps.width, pivotRow = largest / taps.width;
    const auto isWhole = [](float value) { return value == std::rint(value) && std::fabs(value) < 0x1p24f; };
    const bool whole = std::all_of(taps.value, taps.value + taps.count(), isWhole);
    long divisor = whole ? 0 : 1;
    for (int u = 0; u < taps.width && whole; ++u)
        divisor = std::gcd(divisor, std::lround(taps.at(u, pivotRow)));
    SeparableTerm term;
    for (int u = 0; u < taps.width; ++u)
        term.across.push_back(taps.at(u, pivotRow) / float(std::max(divisor, 1L)));
    const float pivot = term.across[std::size_t(pivotColumn)];
    for (int v = 0; v < taps.height; ++v)
        term.down.push_back(pivot == 0.0f ? 0.0f : taps.at(pivotColumn, v) / pivot);
    return term;
}

// Takes a term off what is left of the taps and adds it to the factors.
inline void append(SeparableFactors &factors, std::vector<double> &rest, SeparableTerm term, double magnitude) {
    const std::size_t width = term.across.size();
    factors.residual = 0.0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        rest[i] -= double(term.down[i / width]) * double(term.across[i % width]);
        factors.residual += std::fabs(rest[i]);
    }
    factors.gain += sumOfMagnitudes(term.across) * sumOfMagnitudes(term.down);
    factors.exact = factors.residual <= exactShare * magnitude;
    factors.terms.push_back(std::move(term));
}

} // namespace detail

// At most `mostTerms` terms; fewer as soon as these are exact.
inline SeparableFactors factorize(const Taps &taps, int mostTerms) {
    const std::vector<double> values(taps.value, taps.value + taps.count());
    const double magnitude = detail::sumOfMagnitudes(taps);
    {
        SeparableFactors single;
        std::vector<double> rest = values;
        detail::append(single, rest, detail::crossOf(taps), magnitude);
        if (single.exact)
            return single;
    }
    std::vector<double> rest = values;
    const Svd svd = decompose(values, taps.height, taps.width);
    SeparableFactors factors;
    for (std::size_t k = 0; k < svd.values.size() && int(k) < mostTerms && !factors.exact; ++k)
        detail::append(factors, rest, detail::termOf(svd, k), magnitude);
    return factors;
}

} // namespace tessera::model
