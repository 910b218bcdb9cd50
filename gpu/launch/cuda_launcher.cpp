#include "gpu/launch/cuda_launcher.h"

#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

void launchConvolution(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    switch (plan.variant) {
    case KernelVariant::Naive:
        return launchNaive(plan, request, target);
    case KernelVariant::NaiveFloat4:
        return launchNaiveFloat4(plan, request, target);
    case KernelVariant::NaiveHalf2:
        return launchNaiveHalf2(plan, request, target);
    case KernelVariant::Tiled:
        return launchTiled(plan, request, target);
    case KernelVariant::TiledFloat4:
        return launchTiledFloat4(plan, request, target);
    case KernelVariant::TiledHalf2:
        return launchTiledHalf2(plan, request, target);
    case KernelVariant::Blocked:
        return launchBlocked(plan, request, target);
    default:
        throw CudaError(cudaErrorNotSupported, "launching a variant that this version lacks");
    }
}

void launchConvolutionWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                                     const StatisticsTargets &targets, StreamView stream) {
    return isTiled(fused.plan.variant) ? launchTiledWithStatistics(fused, request, targets, stream)
                                       : launchNaiveWithStatistics(fused, request, targets, stream);
}

} // namespace tessera::cuda
