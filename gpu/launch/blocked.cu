#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

void launchBlocked(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    CudaLauncher launcher(target);
    launchBlockedKernel(launcher, plan, request);
}

} // namespace tessera::cuda
