#include "gpu/kernels/tile_statistics.h"
#include "gpu/launch/compiled_taps.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_launcher.h"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/plan_tiles.h"
#include "gpu/launch/tensor_map.h"

#include <optional>

namespace tessera::cuda {

namespace {

template <int Side>
bool launchSide(const CudaLauncher &launcher, const FusedPlan &fused, const ConvolutionRequest &request,
                BlockTotals *rows, float threshold) {
    constexpr FetchShape shape = statisticsShape(Side);
    constexpr FetchLayout layout = FetchLayout::of(Side, 1, shape);
    const std::optional<TensorMap> map = tensorMapOf(request.source, layout.pitch, layout.height);
    if (!map)
        return false;
    using Tile = FetchedTile<1, Side, shape, MarchTaps<Side * Side>>;
    launcher.launch(
        fused.plan,
        TileStatistics<Tile>{{*map, floatOperands<1>(request), centredMarchTaps<Side>(request)}, rows, threshold});
    return true;
}

bool launchTiles(const CudaLauncher &launcher, const FusedPlan &fused, const ConvolutionRequest &request,
                 BlockTotals *rows, float threshold) {
    const bool filters = (request.channelMask & 1u) != 0;
    if (!filters || !copiesTake(request))
        return false;
    return withTileSide<largestStatisticsSide>(shapeOf(request).centredSide,
                                               [&]<int Side>(std::integral_constant<int, Side>) {
                                                   return launchSide<Side>(launcher, fused, request, rows, threshold);
                                               });
}

} // namespace

void launchBlockedWithStatistics(const FusedPlan &fused, const ConvolutionRequest &request,
                                 const StatisticsTargets &targets, StreamView stream) {
    const CudaLauncher launcher(stream);
    auto *const rows = static_cast<BlockTotals *>(targets.scratch);
    if (!launchTiles(launcher, fused, request, rows, targets.threshold)) { // rows that no copy takes
        launchBlocked(fused.plan, request, stream);
        return launchStatistics(request.target, targets.partial, fused.partialRows, stream, targets.threshold);
    }
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
