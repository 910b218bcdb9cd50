#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/tensor_map.h"

namespace tessera::cuda {

namespace {

bool floatsTakeCopies(const ConvolutionRequest &request) {
    return request.source.type == ScalarType::F32 && request.target.type == ScalarType::F32 && copiesTake(request);
}

// False where rows or taps are none that the form takes.
bool launchForm(BlockedForm form, const ConvolutionRequest &request, const LaunchTarget &target) {
    switch (form) {
    case BlockedForm::Tiles:
        return floatsTakeCopies(request) && launchFetchedTile(request, target);
    case BlockedForm::March:
        return floatsTakeCopies(request) && launchMarch(request, target);
    case BlockedForm::LevelTiles:
        return launchLevelTile(request, target);
    case BlockedForm::HalfTiles:
        return launchHalfTile(request, target);
    default:
        return false;
    }
}

} // namespace

void launchBlocked(const LaunchPlan &plan, const ConvolutionRequest &request, const LaunchTarget &target) {
    if (launchForm(plan.form, request, target))
        return;
    CudaLauncher launcher(target);
    const ConvolutionShape shape = shapeOf(request);
    if (const PlanResult small = planSmallPatches(shape); small.refusal.empty())
        return launchSmallPatches(launcher, small.plan, request);
    const PlanResult patches = planPatches(shape);
    if (patches.refusal.empty())
        return launchBlockedKernel(launcher, patches.plan, request);
    // Rows that copies cannot take, or no compiler: the best of the ladder instead.
    launchTiledFloat4(planConvolution(KernelVariant::TiledFloat4, shape, DeviceLimits{}).plan, request, target);
}

} // namespace tessera::cuda
