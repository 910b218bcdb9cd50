// Launching the tensor-core kernel: one function a kind of number, each in a file of its own.
#pragma once

#include "gpu/launch/launch_target.h"
#include "gpu/launch/tensor_plan.h"

namespace tessera::cuda {

void launchTensorWhole(const TensorPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);
void launchTensorHalf(const TensorPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);
void launchTensorSplit(const TensorPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target);

} // namespace tessera::cuda
