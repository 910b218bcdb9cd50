// Plans of convolutions that make their output's statistics on the way.
#include "gpu/kernels/tile_statistics.h"
#include "gpu/launch/plan.h"
#include "gpu/launch/plan_tiles.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace tessera {

namespace {

// Blocks that make one tile each, and a launch that adds up what they leave.
FusedPlan planTilesWithStatistics(const ConvolutionShape &shape, const DeviceLimits &limits) {
    FusedPlan fused;
    fused.plan.variant = KernelVariant::Blocked;
    const int side = shape.squareSide();
    if (shape.scalarBytes != 4 || shape.channels != 1)
        fused.refusal = "this variant makes statistics of float pictures of one channel only";
    else if (limits.computeCapability < 90)
        fused.refusal = "this variant needs a GPU of compute capability 9.0 to make statistics";
    else if (side > largestStatisticsSide)
        fused.refusal = "a kernel that reaches " + std::to_string(side / 2) +
                        " pixels from its origin exceeds this variant's " + std::to_string(largestStatisticsSide / 2) +
                        " with statistics";
    if (!fused.refusal.empty())
        return fused;
    const FetchShape tile = statisticsShape(side);
    LaunchPlan &plan = fused.plan;
    plan.form = BlockedForm::Tiles;
    plan.grid = gridOf(tile, 1, shape.width, shape.height);
    plan.block = {tile.warps * warpSize_, 1};
    plan.sharedBytes = withTileSide<largestStatisticsSide>(
        side, [&](auto constant) { return std::size_t(FetchLayout::of(constant(), 1, tile).sharedBytes); });
    plan.outputsPerThread = fetchedRun;
    plan.rowsPerThread = tile.threadRows();
    fused.scratchBytes = std::size_t(plan.blocks()) * sizeof(BlockTotals);
    // A row of totals for every thread of the second launch, unless that takes too many blocks.
    constexpr std::int64_t mostBlocks = 128;
    const std::int64_t blocks = (plan.blocks() + joiningThreads - 1) / joiningThreads;
    fused.partialRows = int(std::clamp<std::int64_t>(blocks, 1, mostBlocks));
    return fused;
}

// Blocks that stay and make tile after tile.
FusedPlan planLadderWithStatistics(KernelVariant variant, const ConvolutionShape &shape, std::size_t extra,
                                   const DeviceLimits &limits) {
    DeviceLimits left = limits;
    left.threadsPerBlock = std::min(limits.threadsPerBlock, 256); // totals of four channels take many registers
    left.sharedBytesPerBlock = limits.sharedBytesPerBlock > extra ? limits.sharedBytesPerBlock - extra : 0;
    const PlanResult plain = planConvolution(variant, shape, left);
    FusedPlan fused{plain.plan, plain.plan.grid, plain.refusal};
    if (!fused.refusal.empty())
        return fused;
    constexpr int blocksPerMultiprocessor = 4; // of 256 threads: half of what it holds, so that most find room at once
    // A number without a common divisor with the tiles of a row gives each block its share of the slow ones at the
    // rim: with 528 blocks and 64 tiles a row, every 16th block would have nothing but rim in a quarter of its turns.
    int blocks = std::min(fused.tiles.area(), limits.multiprocessors * blocksPerMultiprocessor);
    while (blocks < fused.tiles.area() && std::gcd(blocks, fused.tiles.x) > 1)
        --blocks;
    fused.plan.grid = {blocks, 1};
    fused.plan.sharedBytes += extra;
    fused.partialRows = blocks;
    return fused;
}

} // namespace

FusedPlan planWithStatistics(KernelVariant variant, const ConvolutionShape &shape, std::size_t extra,
                             const DeviceLimits &limits) {
    if (variant == KernelVariant::Blocked)
        return planTilesWithStatistics(shape, limits);
    if (std::ranges::find(kernelVariants, variant) != kernelVariants.end())
        return planLadderWithStatistics(variant, shape, extra, limits);
    FusedPlan none;
    none.plan.variant = variant;
    none.refusal = "this variant makes no statistics";
    return none;
}

} // namespace tessera
