// Taps in the words that the tensor-core kernel multiplies. Pure host code.
#pragma once

#include "gpu/kernels/tensor_operands.h"
#include "gpu/launch/convolution.h"

#include <span>
#include <vector>

namespace tessera {

// For 8-bit pictures: each tap becomes a whole multiple of `step`, cut into `terms` bytes.
struct WholeTaps {
    int terms = 2;
    double step = 1;
    std::vector<int> multiples; // in the taps' order
    bool exact = false;         // nothing was lost: every tap is a multiple, to the rounding of a float
    double error = 0;           // sum over the taps of |multiple * step - tap|; times 255: how far off a sum can be
};
// `terms`: 1 or 2, or 0 for 1 where that loses nothing and else 2.
WholeTaps wholeTaps(std::span<const float> taps, int terms);

double sumOfMagnitudes(std::span<const float> taps);

inline std::span<const float> tapsOf(const ConvolutionRequest &request) {
    return {request.taps->value, std::size_t(request.taps->count())};
}

// Fills in words and step; the divisor, where it can be one more factor of the step, goes into that.
void packTaps(TensorOperands &operands, const ConvolutionRequest &request, const TensorShape &shape);

} // namespace tessera
