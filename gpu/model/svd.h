// Singular value decomposition of a small matrix, in double: A = sum over k of values[k] * left_k * right_k^T.
//
// A kernel of rank 1 is separable: one pass across and one down replace the whole sum, and a rank r takes r such pairs.
// One-sided Jacobi (Hestenes 1958): columns are rotated pair by pair until all are orthogonal; their lengths are the
// singular values. Slow for large matrices, but simple, and accurate for small singular values too, which is what a
// rank is read from. A 63 x 63 kernel takes a few milliseconds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace tessera::model {

struct Svd {
    std::vector<double> values;             // min(rows, columns) of them, descending, >= 0
    std::vector<std::vector<double>> left;  // one for each value, as long as the matrix has rows, of length 1
    std::vector<std::vector<double>> right; // as long as the matrix has columns, of length 1
    // The vectors of a value that is 0 are 0: nothing depends on them.

    // Values above tolerance * the largest.
    int rank(double tolerance) const {
        const auto counts = [&](double value) { return value > 0.0 && value > tolerance * values.front(); };
        return static_cast<int>(std::count_if(values.begin(), values.end(), counts));
    }
};

namespace detail {

using Columns = std::vector<std::vector<double>>;

inline double dot(const std::vector<double> &a, const std::vector<double> &b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

inline void rotate(std::vector<double> &a, std::vector<double> &b, double cosine, double sine) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double first = a[i], second = b[i];
        a[i] = cosine * first - sine * second;
        b[i] = sine * first + cosine * second;
    }
}

// Makes the two columns orthogonal and turns `right` along. False where they were so already, to rounding, or where one
// is itself only the rounding of others (`negligible` is a squared length).
inline bool orthogonalize(Columns &columns, Columns &right, std::size_t p, std::size_t q, double negligible) {
    const double pp = dot(columns[p], columns[p]), qq = dot(columns[q], columns[q]), pq = dot(columns[p], columns[q]);
    if (pp <= negligible || qq <= negligible ||
        std::abs(pq) <= 4.0 * std::numeric_limits<double>::epsilon() * std::sqrt(pp) * std::sqrt(qq))
        return false;
    const double zeta = (qq - pp) / (2.0 * pq);
    // The smaller of the two angles that do it.
    const double tangent = std::copysign(1.0, zeta) / (std::abs(zeta) + std::hypot(1.0, zeta));
    const double cosine = 1.0 / std::hypot(1.0, tangent);
    rotate(columns[p], columns[q], cosine, cosine * tangent);
    rotate(right[p], right[q], cosine, cosine * tangent);
    return true;
}

// The decomposition of a matrix given by columns, not fewer rows than columns. Its entries are at most 1 in magnitude.
inline Svd decomposeTall(Columns columns) {
    const std::size_t count = columns.size();
    Columns right(count, std::vector<double>(count, 0.0));
    double total = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
        right[k][k] = 1.0;
        total += dot(columns[k], columns[k]);
    }
    const double epsilon = std::numeric_limits<double>::epsilon();
    constexpr int mostSweeps = 60; // about 6 to 10 are usual
    bool turned = true;
    for (int sweep = 0; sweep < mostSweeps && turned; ++sweep) {
        turned = false;
        for (std::size_t p = 0; p < count; ++p)
            for (std::size_t q = p + 1; q < count; ++q)
                turned |= orthogonalize(columns, right, p, q, epsilon * epsilon * total);
    }
    std::vector<double> lengths;
    for (const std::vector<double> &column : columns)
        lengths.push_back(std::sqrt(dot(column, column)));
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
    Svd svd;
    for (std::size_t k : order) {
        const double length = lengths[k];
        for (double &entry : columns[k])
            entry = length > 0.0 ? entry / length : 0.0;
        if (length == 0.0)
            std::fill(right[k].begin(), right[k].end(), 0.0);
        svd.values.push_back(length);
        svd.left.push_back(std::move(columns[k]));
        svd.right.push_back(std::move(right[k]));
    }
    return svd;
}

} // namespace detail

// `matrix` is row-major, rows * columns finite values.
inline Svd decompose(std::span<const double> matrix, int rows, int columns) {
    const bool tall = rows >= columns;
    const auto count = std::size_t(tall ? columns : rows), length = std::size_t(tall ? rows : columns);
    // Scaled to a largest entry of 1, so that squares neither overflow nor vanish.
    double largest = 0.0;
    for (double entry : matrix)
        largest = std::max(largest, std::abs(entry));
    const double scale = largest > 0.0 ? largest : 1.0;
    detail::Columns work(count, std::vector<double>(length));
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t i = 0; i < length; ++i)
            work[k][i] = matrix[tall ? i * count + k : k * length + i] / scale;
    Svd svd = detail::decomposeTall(std::move(work));
    for (double &value : svd.values)
        value *= scale;
    if (!tall) // the transpose was decomposed
        std::swap(svd.left, svd.right);
    return svd;
}

} // namespace tessera::model
