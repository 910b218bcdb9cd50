#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

void launchNaiveWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                               const StatisticsTargets &targets, StreamView stream) {
    CudaLauncher launcher(stream);
    switch (fused.plan.variant) {
    case KernelVariant::NaiveFloat4:
        return launchFused<NaiveVectorConvolve>(launcher, fused, request, targets);
    case KernelVariant::NaiveHalf2:
        return launchFused<NaiveHalf2Convolve>(launcher, fused, request, targets);
    default:
        return launchFused<NaiveConvolve>(launcher, fused, request, targets);
    }
}

} // namespace tessera::cuda
