// How the tensor-core kernel (gpu/kernels/tensor.h) is laid over a picture. Pure host code.
#pragma once

#include "gpu/kernels/tensor_operands.h"
#include "gpu/launch/convolution.h"

#include <string>

namespace tessera {

TensorNumber tensorNumber(ScalarType source, ScalarType target);

struct TensorPlan {
    TensorShape shape;
    int stages = 1;
    int chunkBytes = 0; // see TensorOperands
    int shift = 0;
    Extent grid;
    std::size_t sharedBytes = 0;
    std::string refusal; // empty where the plan can run
};

// One shape for one request. Where `shape` cannot serve it, a refusal.
TensorPlan planTensorShape(const TensorShape &shape, const ConvolutionRequest &request, const DeviceLimits &limits);

// The shape that does least. `terms`: as wholeTaps() takes them; halves take 1 or 2 (0: 2), other pixels always 2.
TensorPlan planTensor(const ConvolutionRequest &request, int terms, const DeviceLimits &limits);

// What planConvolution() says of KernelVariant::Tensor: without the taps' values and the pictures' alignment, so for
// those that ask for most. The launch plans anew.
PlanResult planTensorConvolution(const ConvolutionShape &shape, const DeviceLimits &limits);

TensorOperands tensorOperands(const ConvolutionRequest &request, const TensorPlan &plan);

} // namespace tessera
