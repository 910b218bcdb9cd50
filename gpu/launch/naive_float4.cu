#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

void launchNaiveFloat4(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    CudaLauncher launcher(target);
    launchKernel<NaiveVectorConvolve>(launcher, plan, request);
}

} // namespace tessera::cuda
