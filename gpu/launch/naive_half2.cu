#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

void launchNaiveHalf2(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    CudaLauncher launcher(target);
    launchKernel<NaiveHalf2Convolve>(launcher, plan, request);
}

} // namespace tessera::cuda
