#include "gpu/kernels/patch_statistics.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"

namespace tessera::cuda {

namespace {

template <int side>
void launchSide(const CudaLauncher &launcher, const FusedPlan &fused, const ConvolutionRequest &request,
                BlockTotals *rows, float threshold) {
    using P = Pixel<float, 1>;
    using Patches = BlockedConvolve<P, P, side, statisticsPatch(side)>;
    launcher.launch(fused.plan, PatchStatistics<Patches>{Patches{typedOperands<P, P, CentredTaps<side>>(request)}, rows,
                                                         threshold});
}

} // namespace

void launchBlockedWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                                 const StatisticsTargets &targets, StreamView stream) {
    const CudaLauncher launcher(stream);
    auto *const rows = static_cast<BlockTotals *>(targets.scratch);
    withPatchSide(shapeOf(request).centredSide, [&]<int Side>(std::integral_constant<int, Side>) {
        launchSide<Side>(launcher, fused, request, rows, targets.threshold);
    });
    using Totals = JoinTotals::Reduce::Totals;
    LaunchPlan join;
    join.grid = {fused.partialRows, 1};
    join.block = {JoinTotals::maximumThreads, 1};
    join.sharedBytes = JoinTotals::maximumThreads / warpSize_ * sizeof(Totals);
    launcher.launchEarly(join, JoinTotals{rows,
                                          int(fused.plan.blocks()),
                                          {static_cast<Totals *>(targets.partial), 1, fused.partialRows,
                                           std::ptrdiff_t(sizeof(Totals))}});
}

} // namespace tessera::cuda
