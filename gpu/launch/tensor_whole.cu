#include "gpu/launch/tensor_launch.cuh"
#include "gpu/launch/tensor_shapes.h"

namespace tessera::cuda {

namespace {

struct Shapes {
    static constexpr auto &list = tensor_shapes::whole;
};

} // namespace

void launchTensorWhole(const TensorPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    launchTensorShape<Shapes>(plan, request, target);
}

} // namespace tessera::cuda
