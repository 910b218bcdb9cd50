#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

namespace {

bool mayMarch(const ConvolutionRequest &request) {
    return request.source.type == ScalarType::F32 && request.target.type == ScalarType::F32 &&
           rowsAligned(request.source, 16) && request.originX * request.source.channels % 4 == 0;
}

} // namespace

void launchBlocked(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    CudaLauncher launcher(target);
    const ConvolutionShape shape = shapeOf(request);
    if (request.source.type == request.target.type)
        if (const PlanResult small = planSmallPatches(shape); small.refusal.empty())
            return launchSmallPatches(launcher, small.plan, request);
    if (plan.rings && (launchLevelMarch(request, target) || launchHalfMarch(request, target)))
        return;
    if (plan.marches && mayMarch(request) && launchMarch(request, target))
        return;
    const PlanResult patches = planPatches(shape);
    if (patches.refusal.empty())
        return launchBlockedKernel(launcher, patches.plan, request);
    // Rows that copies cannot take, or no compiler: the best of the ladder instead.
    launchTiledFloat4(planConvolution(KernelVariant::TiledFloat4, shape, DeviceLimits{}).plan, request, target);
}

} // namespace tessera::cuda
