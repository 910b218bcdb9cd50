#include "gpu/launch/separable_launch.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

namespace {

DeviceLimits limitsOfThisDevice() {
    int device = 0, shared = 0, multiprocessors = 0;
    TESSERA_CUDA_CHECK(cudaGetDevice(&device));
    TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    DeviceLimits limits;
    limits.sharedBytesPerBlock = std::size_t(shared);
    limits.multiprocessors = multiprocessors;
    return limits;
}

bool rowsAligned(const RawView &view) {
    return (reinterpret_cast<std::uintptr_t>(view.data) | static_cast<std::uintptr_t>(view.pitch)) % 16 == 0;
}

} // namespace

void launchSeparable(const LaunchPlan &, const ConvolutionRequest &request, const LaunchTarget &target) {
    const model::SeparableFactors own =
        request.factors ? model::SeparableFactors{} : model::factorize(*request.taps, maximumSeparableTerms);
    const model::SeparableFactors &factors = request.factors ? *request.factors : own;
    const int terms = factors.exact ? int(factors.terms.size()) : maximumSeparableTerms + 1;
    const SeparablePlan plan =
        planSeparable(shapeOf(request), terms, request.source.type != request.target.type,
                      request.originX - request.taps->anchorX, rowsAligned(request.source), limitsOfThisDevice());
    if (!plan.refusal.empty())
        throw CudaError(cudaErrorInvalidValue, ("the separable variant: " + plan.refusal).c_str());
    const separable_launch::Work work{plan, request, factors, target};
    switch (request.source.type) {
    case ScalarType::U8:
        return separable_launch::launchU8(work);
    case ScalarType::U16:
        return separable_launch::launchU16(work);
    case ScalarType::F16:
        return separable_launch::launchHalf(work);
    case ScalarType::F32:
        return separable_launch::launchFloat(work);
    }
}

} // namespace tessera::cuda
