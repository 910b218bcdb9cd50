#include "gpu/device/properties.h"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/separable_launch.cuh"

namespace tessera::cuda {

namespace separable_launch {

void launchSource(const Work &work) {
    switch (work.request.source.type) {
    case ScalarType::U8:
        return launchU8(work);
    case ScalarType::U16:
        return launchU16(work);
    case ScalarType::F16:
        return launchHalf(work);
    case ScalarType::F32:
        return launchFloat(work);
    }
}

} // namespace separable_launch

void launchSeparable(const LaunchPlan &, const ConvolutionRequest &request, const LaunchTarget &target) {
    const model::SeparableFactors own =
        request.factors ? model::SeparableFactors{} : model::factorize(*request.taps, maximumSeparableTerms);
    const model::SeparableFactors &factors = request.factors ? *request.factors : own;
    const DeviceLimits limits = limitsOfCurrentDevice();
    if (separable_launch::launchBytes(request, factors, limits, target))
        return restoreChannels(request, target);
    const SeparablePlan plan =
        planSeparable(shapeOf(request), termsOf(factors), request.source.type != request.target.type,
                      request.originX - request.taps->anchorX, rowsAligned(request.source, 16), limits);
    if (!plan.refusal.empty())
        throw CudaError(cudaErrorInvalidValue, ("the separable variant: " + plan.refusal).c_str());
    const separable_launch::Work work{plan, request, factors, target};
    separable_launch::launchSource(work);
    restoreChannels(request, target);
}

} // namespace tessera::cuda
