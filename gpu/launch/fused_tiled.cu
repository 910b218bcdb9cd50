#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

void launchTiledWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                               const StatisticsTargets &targets, StreamView stream) {
    CudaLauncher launcher(stream);
    switch (fused.plan.variant) {
    case KernelVariant::TiledFloat4:
        return launchFused<TiledVectorConvolve>(launcher, fused, request, targets);
    case KernelVariant::TiledHalf2:
        return launchFused<TiledHalf2Convolve>(launcher, fused, request, targets);
    default:
        return launchFused<TiledConvolve>(launcher, fused, request, targets);
    }
}

} // namespace tessera::cuda
