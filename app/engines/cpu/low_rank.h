// A filter as a sum of products of a column and a row: separable filters have one term, differences of two gaussians
// two. Convolving with the terms costs terms * (width + height) instead of width * height.
#pragma once

#include "app/filters/kernel.h"

#include <vector>

namespace tessera::cpu {

struct OuterProduct {
    std::vector<double> column; // the kernel's height
    std::vector<double> row;    // the kernel's width
};

// The terms whose sum is the kernel to float32 precision, or nothing where more than `maximumTerms` would be needed.
//
// Found by elimination with complete pivoting: take the row and column through the largest remaining tap as a term,
// subtract, repeat. The singular value decomposition would find the best approximation for every number of terms, but
// only an exact one is of use here, and elimination finds the same number of terms in terms * width * height steps.
// Integer taps of one term become integer factors, so that sums of them stay exact.
std::vector<OuterProduct> factorize(const ConvolutionKernel &kernel, int maximumTerms);

} // namespace tessera::cpu
