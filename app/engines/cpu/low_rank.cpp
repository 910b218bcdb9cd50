#include "app/engines/cpu/low_rank.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace tessera::cpu {

namespace {

double sumOfMagnitudes(const std::vector<double> &values) {
    return std::accumulate(values.begin(), values.end(), 0.0,
                           [](double sum, double value) { return sum + std::fabs(value); });
}

// The term through the largest value of `rest`, which is subtracted from it.
OuterProduct takeTerm(std::vector<double> &rest, int width, int height) {
    const auto largest = std::ranges::max_element(rest, {}, [](double value) { return std::fabs(value); });
    const std::size_t at = std::size_t(largest - rest.begin());
    const std::size_t columns = std::size_t(width);
    const std::size_t pivotRow = at / columns, pivotColumn = at % columns;
    const double pivot = *largest;
    OuterProduct term;
    term.row.assign(rest.begin() + std::ptrdiff_t(pivotRow * columns),
                    rest.begin() + std::ptrdiff_t((pivotRow + 1) * columns));
    for (std::size_t v = 0; v < std::size_t(height); ++v)
        term.column.push_back(rest[v * columns + pivotColumn] / pivot);
    for (std::size_t v = 0; v < std::size_t(height); ++v)
        for (std::size_t u = 0; u < columns; ++u)
            rest[v * columns + u] -= term.column[v] * term.row[u];
    return term;
}

bool isSmallInteger(double value) { return value == std::rint(value) && std::fabs(value) < double(1 << 24); }

// Moves the common divisor of the row into the column: 6 24 36 24 6 becomes 1 4 6 4 1 and the column whole numbers.
void makeIntegers(OuterProduct &term, const ConvolutionKernel &kernel) {
    if (!std::ranges::all_of(kernel.taps, isSmallInteger) || !std::ranges::all_of(term.row, isSmallInteger))
        return;
    std::int64_t divisor = 0;
    for (const double value : term.row)
        divisor = std::gcd(divisor, std::int64_t(value));
    if (divisor == 0)
        return;
    OuterProduct scaled = term;
    for (double &value : scaled.row)
        value /= double(divisor);
    for (double &value : scaled.column)
        value = std::rint(value * double(divisor));
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u)
            if (scaled.column[std::size_t(v)] * scaled.row[std::size_t(u)] != kernel.at(u, v))
                return;
    term = std::move(scaled);
}

} // namespace

std::vector<OuterProduct> factorize(const ConvolutionKernel &kernel, int maximumTerms) {
    // Taps are rounded to float32 anyway; less than that, over the whole kernel, is no difference.
    constexpr double precision = 6e-8;
    // Terms may cancel, but not so far that their rounding shows.
    constexpr double largestGrowth = 4.0;

    const double magnitude = sumOfMagnitudes(kernel.taps);
    std::vector<double> rest = kernel.taps;
    std::vector<OuterProduct> terms;
    double growth = 0;
    while (sumOfMagnitudes(rest) > precision * magnitude) {
        if (int(terms.size()) == maximumTerms)
            return {};
        terms.push_back(takeTerm(rest, kernel.width, kernel.height));
        growth += sumOfMagnitudes(terms.back().column) * sumOfMagnitudes(terms.back().row);
    }
    if (growth > largestGrowth * magnitude)
        return {};
    if (terms.size() == 1)
        makeIntegers(terms.front(), kernel);
    return terms;
}

} // namespace tessera::cpu
