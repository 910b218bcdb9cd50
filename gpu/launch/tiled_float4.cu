#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

void launchTiledFloat4(const LaunchPlan &plan, const ConvolutionRequest &request, StreamView stream) {
    CudaLauncher launcher(stream);
    launchKernel<TiledVectorConvolve>(launcher, plan, request);
}

} // namespace tessera::cuda
