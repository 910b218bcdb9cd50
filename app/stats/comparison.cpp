#include "app/stats/comparison.h"

#include "app/core/compensated_sum.h"
#include "app/core/error.h"
#include "app/stats/parallel_bands.h"
#include "app/stats/structural_similarity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tessera {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string shapeText(const Image &image) {
    return std::to_string(image.width()) + "x" + std::to_string(image.height()) + " with " +
           std::to_string(image.format().channels) + (image.format().channels == 1 ? " channel" : " channels");
}

// |a - b|, where two values that are the same but no finite numbers are equal and other such pairs infinitely apart.
double distance(double a, double b) {
    const double difference = std::abs(a - b);
    if (std::isfinite(difference))
        return difference;
    return a == b || (std::isnan(a) && std::isnan(b)) ? 0.0 : infinity;
}

struct RowDifference {
    double maximum = 0.0;
    int x = 0, channel = 0;
    double squares = 0.0;   // of the differences
    double reference = 0.0; // squares of b
    std::uint64_t differing = 0;
};

// A stored value in the units of `depth`, at least as deep as its own. In float units as the float that a conversion of
// the picture would store, so that a picture equals its own conversion.
template <class T> double valueIn(Depth depth, T value) {
    if constexpr (std::is_same_v<T, float>)
        return double(value);
    constexpr double ownMaximum = sizeof(T) == 1 ? 255.0 : 65'535.0;
    if (depth == Depth::F32)
        return double(static_cast<float>(double(value) / ownMaximum));
    return depth == Depth::U16 && sizeof(T) == 1 ? 257.0 * double(value) : double(value);
}

template <class A> bool isOpenTo(OpenSamples::Values values, A value) {
    if (values == OpenSamples::Values::Any || !std::isfinite(double(value)))
        return true;
    const double maximum = std::is_same_v<A, float> ? 1.0 : double(std::numeric_limits<A>::max());
    return values == OpenSamples::Values::OrEnds && (double(value) == 0.0 || double(value) == maximum);
}

// What a row's comparison goes by. `open`: the row of open.samples, or null.
struct RowRules {
    Depth depth;
    int width, channels;
    const std::uint8_t *open;
    OpenSamples::Values openTo;
};

template <class A, class B> RowDifference compareRow(const A *a, const B *b, const RowRules &rules) {
    const auto &[depth, width, channels, open, openTo] = rules;
    RowDifference row;
    for (int x = 0; x < width; ++x) {
        bool differs = false;
        for (int c = 0; c < channels; ++c, ++a, ++b) {
            if (open != nullptr && (open[x] >> c & 1) != 0 && isOpenTo(openTo, *a))
                continue;
            const double reference = valueIn(depth, *b);
            const double error = distance(valueIn(depth, *a), reference);
            differs |= error > 0.0;
            row.squares += error * error;
            row.reference += std::isfinite(reference) ? reference * reference : 0.0;
            if (error > row.maximum) {
                row.maximum = error;
                row.x = x;
                row.channel = c;
            }
        }
        row.differing += differs;
    }
    return row;
}

template <class A>
RowDifference compareRowTo(const ConstPixelView &a, const ConstPixelView &b, int y, const RowRules &rules) {
    switch (b.format.depth) {
    case Depth::U8:
        return compareRow(a.row<A>(y), b.row<std::uint8_t>(y), rules);
    case Depth::U16:
        return compareRow(a.row<A>(y), b.row<std::uint16_t>(y), rules);
    default:
        return compareRow(a.row<A>(y), b.row<float>(y), rules);
    }
}

RowDifference compareRows(const ConstPixelView &a, const ConstPixelView &b, int y, const RowRules &rules) {
    switch (a.format.depth) {
    case Depth::U8:
        return compareRowTo<std::uint8_t>(a, b, y, rules);
    case Depth::U16:
        return compareRowTo<std::uint16_t>(a, b, y, rules);
    default:
        return compareRowTo<float>(a, b, y, rules);
    }
}

DifferenceSums sumsOf(const std::vector<RowDifference> &rows) {
    DifferenceSums sums;
    CompensatedSum squares, reference;
    for (const RowDifference &row : rows) {
        sums.maximumError = std::max(sums.maximumError, row.maximum);
        // Compensation would make infinity - infinity of an infinite sum.
        if (std::isfinite(row.squares))
            squares.add(row.squares);
        reference.add(row.reference);
    }
    sums.squares = std::isfinite(sums.maximumError) ? squares.value() : infinity;
    sums.referenceSquares = reference.value();
    return sums;
}

ImageComparison combine(const std::vector<RowDifference> &rows, double maximum, int width, int channels) {
    ImageComparison result;
    for (std::size_t y = 0; y < rows.size(); ++y) {
        const RowDifference &row = rows[y];
        if (row.maximum > result.maximumError) {
            result.maximumError = row.maximum;
            result.x = row.x;
            result.y = int(y);
            result.channel = row.channel;
        }
        result.differingPixels += row.differing;
    }
    const double pixels = double(rows.size()) * width;
    const DifferenceSums sums = sumsOf(rows);
    result.differingShare = double(result.differingPixels) / pixels;
    result.rms = std::sqrt(sums.squares / (pixels * channels));
    result.psnr = result.rms == 0.0 ? infinity : 20.0 * std::log10(maximum / result.rms);
    result.relativeL2 = sums.relativeL2();
    return result;
}

void checkShapes(const Image &a, const Image &b) {
    if (a.empty() || b.empty())
        throw Error(ErrorKind::Input, "there is no picture to compare");
    if (a.width() != b.width() || a.height() != b.height() || a.format().channels != b.format().channels)
        throw Error(ErrorKind::Input, "the pictures do not fit: " + shapeText(a) + " against " + shapeText(b),
                    "compare pictures of the same size and channels");
}

Depth deeperOf(const Image &a, const Image &b) {
    return std::max(a.format().depth, b.format().depth); // in the order 8, 16, float
}

std::vector<RowDifference> compareAllRows(const Image &a, const Image &b, const OpenSamples &open = {}) {
    checkShapes(a, b);
    const RowRules rules{deeperOf(a, b), a.width(), a.format().channels, nullptr, open.values};
    std::vector<RowDifference> rows(std::size_t(a.height()));
    forEachBand(a.height(), 32, workersFor(a.width(), a.height()), {}, [&](int, int first, int end) {
        for (int y = first; y < end; ++y) {
            RowRules own = rules;
            own.open = open.samples.empty() ? nullptr : open.samples.row(y);
            rows[std::size_t(y)] = compareRows(a.view(), b.view(), y, own);
        }
    });
    return rows;
}

} // namespace

void DifferenceSums::add(const DifferenceSums &other) {
    maximumError = std::max(maximumError, other.maximumError);
    squares += other.squares;
    referenceSquares += other.referenceSquares;
    values += other.values;
}

double DifferenceSums::relativeL2() const { return squares == 0.0 ? 0.0 : std::sqrt(squares / referenceSquares); }

double DifferenceSums::rootMeanSquare() const { return values == 0 ? 0.0 : std::sqrt(squares / double(values)); }

DifferenceSums differenceSums(const Image &a, const Image &b) { return differenceSums(a, b, {}); }

DifferenceSums differenceSums(const Image &a, const Image &b, const OpenSamples &open) {
    DifferenceSums sums = sumsOf(compareAllRows(a, b, open));
    sums.values = std::uint64_t(a.width()) * std::uint64_t(a.height()) * std::uint64_t(a.format().channels);
    return sums;
}

ImageComparison compareImages(const Image &a, const Image &b) {
    const std::vector<RowDifference> rows = compareAllRows(a, b);
    const double maximum = nominalMaximum(deeperOf(a, b));
    ImageComparison result = combine(rows, maximum, a.width(), a.format().channels);
    result.ssim = structuralSimilarity(a.view(), maximum / nominalMaximum(a.format().depth), b.view(),
                                       maximum / nominalMaximum(b.format().depth), maximum);
    return result;
}

} // namespace tessera
