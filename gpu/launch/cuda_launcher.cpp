#include "gpu/launch/cuda_launcher.h"

#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

void launchConvolution(const LaunchPlan &plan, const ConvolutionRequest &request, StreamView stream) {
    switch (plan.variant) {
    case KernelVariant::Naive:
        return launchNaive(plan, request, stream);
    case KernelVariant::NaiveFloat4:
        return launchNaiveFloat4(plan, request, stream);
    case KernelVariant::NaiveHalf2:
        return launchNaiveHalf2(plan, request, stream);
    case KernelVariant::Tiled:
        return launchTiled(plan, request, stream);
    case KernelVariant::TiledFloat4:
        return launchTiledFloat4(plan, request, stream);
    case KernelVariant::TiledHalf2:
        return launchTiledHalf2(plan, request, stream);
    }
}

void launchConvolutionWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                                     const StatisticsTargets &targets, StreamView stream) {
    return isTiled(fused.plan.variant) ? launchTiledWithStatistics(fused, request, targets, stream)
                                       : launchNaiveWithStatistics(fused, request, targets, stream);
}

} // namespace tessera::cuda
