// What a kernel is: how separable, and what it does to frequencies.
#pragma once

#include "app/filters/kernel.h"
#include "app/session/chain.h"

#include <optional>
#include <utility>
#include <vector>

namespace tessera {

struct KernelRank {
    int rank = 1;              // of the taps, to 1e-9 of the largest singular value
    double firstShare = 1;     // share of the taps' energy (sum of squares) in the best separable kernel
    double separableError = 0; // largest difference of a tap, were it replaced by that one, relative to the largest tap
};
KernelRank analyseRank(const ConvolutionKernel &kernel);

// The best separable approximation as two kernels to be run one after the other: across (height 1), then down (width
// 1), which carries divisor and offset. Exact where the rank is 1.
std::pair<ConvolutionKernel, ConvolutionKernel> separated(const ConvolutionKernel &kernel);

// The step as two steps: the first across, the second down, with the step's options; border values that are constant
// make the borders differ (the second pass sees the constant again). Empty where the step's filter is not one kernel.
std::optional<std::pair<FilterStep, FilterStep>> inTwoPasses(const FilterStep &step);

// |H(fx, fy)| of the kernel over its divisor: `side` x `side` values, row by row, frequencies from -1/2 to 1/2 cycles a
// pixel, 0 in the middle (index side / 2). Direct sums, row by row and then column by column.
std::vector<float> frequencyResponse(const ConvolutionKernel &kernel, int side);

} // namespace tessera
