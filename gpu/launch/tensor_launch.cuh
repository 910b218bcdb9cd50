// From a plan to the instance that it names.
#pragma once

#include "gpu/kernels/tensor.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/tensor_launch.h"

#include <memory>
#include <utility>

namespace tessera::cuda {

// `Shapes::list`: the instances.
template <class Shapes>
void launchTensorShape(const TensorPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    LaunchPlan launch;
    launch.variant = KernelVariant::Tensor;
    launch.grid = plan.grid;
    launch.block = {plan.shape.threads(), 1};
    launch.sharedBytes = plan.sharedBytes;
    const auto tryOne = [&]<TensorShape Shape>() {
        if (!(plan.shape == Shape))
            return false;
        const auto kernel =
            std::make_unique<TensorConvolve<Shape>>(TensorConvolve<Shape>{tensorOperands(request, plan)});
        CudaLauncher(target).launch(launch, *kernel);
        return true;
    };
    const bool launched = [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        return (tryOne.template operator()<Shapes::list[Index]>() || ...);
    }
    (std::make_index_sequence<Shapes::list.size()>{});
    if (!launched)
        throw CudaError(cudaErrorInvalidDeviceFunction, "launching a shape of the tensor kernel that is not compiled");
}

} // namespace tessera::cuda
