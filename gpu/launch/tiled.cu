#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

void launchTiled(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    CudaLauncher launcher(target);
    launchKernel<TiledConvolve>(launcher, plan, request);
}

} // namespace tessera::cuda
