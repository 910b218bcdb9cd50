#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

namespace {

bool mayMarch(const ConvolutionRequest &request) {
    return request.source.type == ScalarType::F32 && request.target.type == ScalarType::F32 &&
           rowsAligned(request.source, 16) && request.originX * request.source.channels % 4 == 0;
}

// False where no strips are planned, or rows or taps are none that they take.
bool launchStrips(BlockedForm form, const ConvolutionRequest &request, const LaunchTarget &target) {
    switch (form) {
    case BlockedForm::March:
        return mayMarch(request) && launchMarch(request, target);
    case BlockedForm::LevelMarch:
        return launchLevelMarch(request, target);
    case BlockedForm::HalfMarch:
        return launchHalfMarch(request, target);
    default:
        return false;
    }
}

} // namespace

void launchBlocked(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    CudaLauncher launcher(target);
    if (plan.form == BlockedForm::SmallPatches)
        return launchSmallPatches(launcher, plan, request);
    if (launchStrips(plan.form, request, target))
        return;
    const ConvolutionShape shape = shapeOf(request);
    const PlanResult patches = planPatches(shape);
    if (patches.refusal.empty())
        return launchBlockedKernel(launcher, patches.plan, request);
    // Rows that copies cannot take, or no compiler: the best of the ladder instead.
    launchTiledFloat4(planConvolution(KernelVariant::TiledFloat4, shape, DeviceLimits{}).plan, request, target);
}

} // namespace tessera::cuda
