#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

void launchNaiveHalf2(const LaunchPlan &plan, const ConvolutionRequest &request, StreamView stream) {
    CudaLauncher launcher(stream);
    launchKernel<NaiveHalf2Convolve>(launcher, plan, request);
}

} // namespace tessera::cuda
