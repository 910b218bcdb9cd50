#include "gpu/launch/plan.h"

#include "gpu/image/taps.h"

#include <array>

namespace tessera {

namespace {

// Largest first: the larger the tile, the smaller the share of the halo. 32 threads a row make whole warps read whole
// rows. Smaller ones serve large kernels of wide pixels on devices with little shared memory.
constexpr std::array<Extent, 5> tileCandidates{{{32, 32}, {32, 16}, {32, 8}, {16, 8}, {8, 8}}};

// A tile of 32 x 8 keeps six to eight blocks on a multiprocessor, which hides the barrier between staging and
// computing; larger tiles pay only where the halo would otherwise dominate.
Extent preferredTile(const ConvolutionShape &shape) {
    const int side = shape.tapsWidth > shape.tapsHeight ? shape.tapsWidth : shape.tapsHeight;
    return side <= 5 ? Extent{32, 8} : side <= 15 ? Extent{32, 16} : Extent{32, 32};
}

std::size_t footprintBytes(Extent tile, const ConvolutionShape &shape) {
    return std::size_t(shape.stagedPixelBytes) * std::size_t(tile.x + shape.tapsWidth - 1) *
           std::size_t(tile.y + shape.tapsHeight - 1);
}

} // namespace

std::string_view kernelVariantName(KernelVariant variant) {
    switch (variant) {
    case KernelVariant::Naive:
        return "naive";
    case KernelVariant::Tiled:
        return "tiled";
    }
    return "unknown";
}

std::string toString(const LaunchPlan &plan) {
    return std::string(kernelVariantName(plan.variant)) + ": grid " + std::to_string(plan.grid.x) + "x" +
           std::to_string(plan.grid.y) + ", block " + std::to_string(plan.block.x) + "x" + std::to_string(plan.block.y) +
           ", shared " + std::to_string(plan.sharedBytes) + " bytes";
}

PlanResult planConvolution(KernelVariant variant, const ConvolutionShape &shape, const DeviceLimits &limits) {
    PlanResult result;
    result.plan.variant = variant;
    if (shape.tapsWidth > maximumTapsSide || shape.tapsHeight > maximumTapsSide) {
        result.refusal = "a kernel of " + std::to_string(shape.tapsWidth) + "x" + std::to_string(shape.tapsHeight) +
                         " exceeds this variant's " + std::to_string(maximumTapsSide) + "x" +
                         std::to_string(maximumTapsSide);
        return result;
    }
    Extent block{32, 8};
    if (variant == KernelVariant::Tiled) {
        const Extent preferred = preferredTile(shape);
        bool found = false;
        for (const Extent tile : tileCandidates)
            if (!found && tile.area() <= preferred.area() && tile.area() <= limits.threadsPerBlock &&
                footprintBytes(tile, shape) <= limits.sharedBytesPerBlock) {
                block = tile;
                found = true;
            }
        if (!found) {
            result.refusal = "the footprint of an 8x8 tile under a kernel of " + std::to_string(shape.tapsWidth) + "x" +
                             std::to_string(shape.tapsHeight) + " takes " +
                             std::to_string(footprintBytes({8, 8}, shape)) + " bytes of shared memory, the device has " +
                             std::to_string(limits.sharedBytesPerBlock) + " a block";
            return result;
        }
        result.plan.sharedBytes = footprintBytes(block, shape);
    }
    result.plan.block = block;
    result.plan.grid = {ceilDivide(shape.width, block.x), ceilDivide(shape.height, block.y)};
    if (result.plan.grid.y > limits.maximumGridY)
        result.refusal = "a picture of " + std::to_string(shape.height) + " rows needs more blocks than a launch holds";
    return result;
}

LaunchPlan planElements(std::int64_t count, int threadsPerBlock) {
    LaunchPlan plan;
    plan.block = {threadsPerBlock, 1};
    plan.grid = {int((count + threadsPerBlock - 1) / threadsPerBlock), 1};
    return plan;
}

} // namespace tessera
