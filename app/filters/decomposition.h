// A kernel as a sum of separable ones: what the editor shows and what decides whether two passes can replace one.
#pragma once

#include "app/filters/kernel.h"

#include <optional>
#include <vector>

namespace tessera {

// What a rank is judged at: singular values below a millionth of the largest are less than what float32 sums round.
inline constexpr double rankTolerance = 1e-6;

// One separable part: column[v] * row[u].
struct SeparableTerm {
    std::vector<double> row;    // width taps, across
    std::vector<double> column; // height taps, down
};

struct KernelDecomposition {
    std::vector<double> singularValues; // of the taps, not divided; min(width, height) of them, descending
    int rank = 0;                       // at the tolerance; 0 where all taps are 0
    std::vector<SeparableTerm> terms;   // `rank` of them, the largest first; their sum is the kernel's taps

    // What the first `terms` parts leave out: its Frobenius norm over the kernel's. 0 for a kernel of zeros.
    double relativeError(int terms) const;

    // Multiplications and additions a pixel: one pass over all taps, and `rank` pairs of passes.
    long directCost(const ConvolutionKernel &kernel) const { return long(kernel.width) * kernel.height; }
    long separableCost(const ConvolutionKernel &kernel) const { return long(rank) * (kernel.width + kernel.height); }
};

KernelDecomposition decomposeKernel(const ConvolutionKernel &kernel, double tolerance = rankTolerance);

// Two kernels that one after the other give what the kernel gives: first `horizontal` (height 1), then `vertical`
// (width 1), which adds the offset. Anchors are kept. Whole-number kernels get whole-number factors. The divisor is
// shared out so that each pass keeps the picture's brightness, where it can be; else it stands in `vertical`.
//
// The values between the passes must not be rounded or clamped. All borders give the same result but
// `constant` with a value other than 0, whose value the first pass does not weigh outside the picture; it holds there
// too where `horizontal` keeps brightness.
struct TwoPasses {
    ConvolutionKernel horizontal;
    ConvolutionKernel vertical;
};

// Empty where the kernel's rank is not 1.
std::optional<TwoPasses> separateKernel(const ConvolutionKernel &kernel, double tolerance = rankTolerance);

} // namespace tessera
