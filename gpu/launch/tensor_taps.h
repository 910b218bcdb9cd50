// From a convolution to what the tensor-core kernel (gpu/kernels/tensor.h) is launched with. Pure host code.
#pragma once

#include "gpu/kernels/tensor_operands.h"
#include "gpu/launch/convolution.h"

#include <span>
#include <string>
#include <vector>

namespace tessera {

TensorNumber tensorNumber(ScalarType source, ScalarType target);

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

struct TensorPlan {
    TensorShape shape;
    int stages = 1;
    int chunkBytes = 0; // see TensorOperands
    int shift = 0;
    Extent grid;
    std::size_t sharedBytes = 0;
    std::string refusal; // empty where the plan can run
};

// The shapes that are compiled; of those that serve a request, the first that fits does least.
std::span<const TensorShape> tensorShapes();

// One shape for one request. Where `shape` cannot serve it, a refusal.
TensorPlan planTensorShape(const TensorShape &shape, const ConvolutionRequest &request, const DeviceLimits &limits);

// The best shape. `terms` as for wholeTaps(); halves take 1 or 2 (0: 2), other pixels always 2.
TensorPlan planTensor(const ConvolutionRequest &request, int terms, const DeviceLimits &limits);

TensorOperands tensorOperands(const ConvolutionRequest &request, const TensorPlan &plan);

} // namespace tessera
