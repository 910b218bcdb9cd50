#include "gpu/device/check.h"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/tensor_launch.h"

namespace tessera::cuda {

namespace {

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

DeviceLimits limitsOfCurrentDevice() {
    int device = 0;
    TESSERA_CUDA_CHECK(cudaGetDevice(&device));
    DeviceLimits limits;
    limits.sharedBytesPerBlock = std::size_t(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    limits.multiprocessors = attribute(cudaDevAttrMultiProcessorCount, device);
    return limits;
}

} // namespace

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
