#include "gpu/launch/cuda_launcher.h"

#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/fft.h"

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
    case KernelVariant::Tensor:
        return launchTensor(plan, request, target);
    case KernelVariant::Separable:
        return launchSeparable(plan, request, target);
    case KernelVariant::Fft:
        return launchFft(request, target);
    }
}

void launchConvolutionWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                                     const StatisticsTargets &targets, StreamView stream) {
    // 65,536 counters do not fit beside a tile: a second read of the output costs less than counting in global memory.
    const bool countAfterwards = request.target.type == ScalarType::U16 && targets.counts;
    StatisticsTargets together = targets;
    if (countAfterwards)
        together.counts = nullptr;
    if (fused.plan.variant == KernelVariant::Blocked)
        launchBlockedWithStatistics(fused, request, together, stream);
    else if (isTiled(fused.plan.variant))
        launchTiledWithStatistics(fused, request, together, stream);
    else
        launchNaiveWithStatistics(fused, request, together, stream);
    if (countAfterwards)
        launchHistogram(request.target, targets.counts, fused.plan.grid.x, stream);
}

} // namespace tessera::cuda
