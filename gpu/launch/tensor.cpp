#include "gpu/device/check.h"
#include "gpu/device/properties.h"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/tensor_launch.h"

namespace tessera::cuda {

// Which instance serves best depends on the taps' values and on alignment, which the plan does not know.
void launchTensor(const LaunchPlan &, const ConvolutionRequest &request, const LaunchTarget &target) {
    const TensorPlan plan = planTensor(request, request.tensorTerms, limitsOfCurrentDevice());
    if (!plan.refusal.empty())
        throw CudaError(cudaErrorInvalidConfiguration, plan.refusal.c_str());
    switch (plan.shape.number) {
    case TensorNumber::Whole:
        return launchTensorWhole(plan, request, target);
    case TensorNumber::Half:
        return launchTensorHalf(plan, request, target);
    case TensorNumber::Split:
        return launchTensorSplit(plan, request, target);
    }
}

} // namespace tessera::cuda
