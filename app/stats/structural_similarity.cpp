#include "app/stats/structural_similarity.h"

#include "app/core/compensated_sum.h"
#include "app/stats/channel_rows.h"
#include "app/stats/parallel_bands.h"

#include <array>
#include <cmath>

namespace tessera {

namespace {

constexpr int windowSide = 11;
constexpr double windowSigma = 1.5;
constexpr int bandRows = 64; // each band filters window - 1 rows that its neighbour filters too

// The five weighted means that a window needs.
enum Moment : std::size_t { MeanA, MeanB, SquareA, SquareB, Product, momentCount };

std::vector<double> gaussianWindow(int side) {
    std::vector<double> weights;
    double sum = 0.0;
    const int centre = side / 2;
    for (int i = 0; i < side; ++i) {
        const double distance = i - centre;
        weights.push_back(std::exp(-distance * distance / (2.0 * windowSigma * windowSigma)));
        sum += weights.back();
    }
    for (double &weight : weights)
        weight /= sum;
    return weights;
}

int windowFor(int side) { return side >= windowSide ? windowSide : side % 2 == 1 ? side : side - 1; }

class Similarity {
public:
    Similarity(const ConstPixelView &a, double scaleA, const ConstPixelView &b, double scaleB, double maximum)
        : a_(a), b_(b), scaleA_(scaleA), scaleB_(scaleB), maximum_(maximum),
          across_(gaussianWindow(windowFor(a.width))), down_(gaussianWindow(windowFor(a.height))),
          columns_(std::size_t(a.width) + 1 - across_.size()), windowRows_(a.height + 1 - int(down_.size())) {}

    double mean() const {
        std::vector<double> rowSums(std::size_t(windowRows_), 0.0);
        forEachBand(windowRows_, bandRows, workersFor(a_.width, a_.height), {},
                    [&](int, int first, int end) { sumBand(first, end, rowSums); });
        CompensatedSum sum;
        for (double row : rowSums)
            sum.add(row);
        return sum.value() / (double(columns_) * windowRows_);
    }

private:
    using Moments = std::array<std::vector<double>, momentCount>;

    // A ring of rows already filtered across; each output row weighs them downwards.
    void sumBand(int first, int end, std::vector<double> &rowSums) const {
        const int rows = int(down_.size());
        std::vector<Moments> ring(down_.size());
        for (int y = first; y < first + rows - 1; ++y)
            filterAcross(y, ring[std::size_t(y % rows)]);
        Moments window;
        for (int y = first; y < end; ++y) {
            filterAcross(y + rows - 1, ring[std::size_t((y + rows - 1) % rows)]);
            for (std::size_t m = 0; m < momentCount; ++m) {
                window[m].assign(columns_, 0.0);
                for (int i = 0; i < rows; ++i)
                    accumulate(down_[std::size_t(i)], ring[std::size_t((y + i) % rows)][m], 0, window[m]);
            }
            rowSums[std::size_t(y)] = sumOfRow(window);
        }
    }

    static void accumulate(double weight, const std::vector<double> &source, std::size_t shift,
                           std::vector<double> &target) {
        for (std::size_t x = 0; x < target.size(); ++x)
            target[x] += weight * source[x + shift];
    }

    void filterAcross(int y, Moments &moments) const {
        const auto width = std::size_t(a_.width);
        Moments row;
        for (auto &values : row)
            values.resize(width);
        readLuma(a_, y, scaleA_, row[MeanA]);
        readLuma(b_, y, scaleB_, row[MeanB]);
        for (std::size_t x = 0; x < width; ++x) {
            settle(row[MeanA][x], row[MeanB][x]);
            row[SquareA][x] = row[MeanA][x] * row[MeanA][x];
            row[SquareB][x] = row[MeanB][x] * row[MeanB][x];
            row[Product][x] = row[MeanA][x] * row[MeanB][x];
        }
        for (std::size_t m = 0; m < momentCount; ++m) {
            moments[m].assign(columns_, 0.0);
            for (std::size_t i = 0; i < across_.size(); ++i)
                accumulate(across_[i], row[m], i, moments[m]);
        }
    }

    void settle(double &a, double &b) const {
        if (std::isfinite(a) && std::isfinite(b))
            return;
        const bool same = a == b || (std::isnan(a) && std::isnan(b));
        a = 0.0;
        b = same ? 0.0 : maximum_;
    }

    double sumOfRow(const Moments &window) const {
        const double c1 = 0.01 * maximum_ * 0.01 * maximum_, c2 = 0.03 * maximum_ * 0.03 * maximum_;
        double sum = 0.0;
        for (std::size_t x = 0; x < columns_; ++x) {
            const double meanA = window[MeanA][x], meanB = window[MeanB][x];
            const double varianceA = window[SquareA][x] - meanA * meanA;
            const double varianceB = window[SquareB][x] - meanB * meanB;
            const double covariance = window[Product][x] - meanA * meanB;
            sum += (2 * meanA * meanB + c1) * (2 * covariance + c2) /
                   ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2));
        }
        return sum;
    }

    ConstPixelView a_, b_;
    double scaleA_, scaleB_, maximum_;
    std::vector<double> across_, down_;
    std::size_t columns_; // windows across
    int windowRows_;      // and down
};

} // namespace

double structuralSimilarity(const ConstPixelView &a, double scaleA, const ConstPixelView &b, double scaleB,
                            double maximum) {
    return Similarity(a, scaleA, b, scaleB, maximum).mean();
}

} // namespace tessera
