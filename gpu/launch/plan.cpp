#include "gpu/launch/plan.h"

#include "gpu/image/taps.h"
#include "gpu/kernels/tiled.h"
#include "gpu/kernels/tiled_float4.h"
#include "gpu/kernels/tiled_half2.h"
#include "gpu/launch/fourier.h"
#include "gpu/launch/plan_boxes.h"
#include "gpu/launch/plan_march.h"
#include "gpu/launch/plan_patches.h"
#include "gpu/launch/plan_tiles.h"
#include "gpu/launch/separable.h"
#include "gpu/launch/tensor_plan.h"

#include <algorithm>
#include <array>

namespace tessera {

namespace {

// Largest first: the larger the tile, the smaller the share of the halo. 32 threads a row make whole warps read whole
// rows. Smaller ones serve large kernels of wide pixels on devices with little shared memory.
constexpr std::array<Extent, 5> threadCandidates{{{32, 32}, {32, 16}, {32, 8}, {16, 8}, {8, 8}}};

// A tile of 32 x 8 keeps six to eight blocks on a multiprocessor, which hides the barrier between staging and
// computing; larger tiles pay only where the halo would otherwise dominate.
Extent preferredThreads(const ConvolutionShape &shape) {
    const int side = std::max(shape.tapsWidth, shape.tapsHeight);
    return side <= 5 ? Extent{32, 8} : side <= 15 ? Extent{32, 16} : Extent{32, 32};
}

int outputsPerThread(KernelVariant variant, const ConvolutionShape &shape) {
    return isFloat4(variant) ? pixelsPerGroup : isHalf2(variant) && shape.channels == 1 ? 2 : 1;
}

// The kernels know what they stage; the pixel types stand for all of the same size.
template <template <class, class> class Kernel> std::size_t sharedBytes(Extent threads, const ConvolutionShape &shape) {
    const auto bytes = [&]<class P>(P) {
        return Kernel<P, P>::sharedBytes(threads, shape.tapsWidth, shape.tapsHeight);
    };
    const bool grey = shape.channels == 1;
    switch (shape.scalarBytes) {
    case 1:
        return grey ? bytes(Pixel<std::uint8_t, 1>{}) : bytes(Pixel<std::uint8_t, 4>{});
    case 2:
        return grey ? bytes(Pixel<std::uint16_t, 1>{}) : bytes(Pixel<std::uint16_t, 4>{});
    default:
        return grey ? bytes(Pixel<float, 1>{}) : bytes(Pixel<float, 4>{});
    }
}

std::size_t footprintBytes(KernelVariant variant, Extent threads, const ConvolutionShape &shape) {
    switch (variant) {
    case KernelVariant::Tiled:
        return sharedBytes<TiledConvolve>(threads, shape);
    case KernelVariant::TiledFloat4:
        return sharedBytes<TiledVectorConvolve>(threads, shape);
    case KernelVariant::TiledHalf2:
        return sharedBytes<TiledHalf2Convolve>(threads, shape);
    default:
        return 0;
    }
}

} // namespace

std::string_view kernelVariantName(KernelVariant variant) {
    switch (variant) {
    case KernelVariant::Naive:
        return "naive";
    case KernelVariant::NaiveFloat4:
        return "naive-float4";
    case KernelVariant::NaiveHalf2:
        return "naive-half2";
    case KernelVariant::Tiled:
        return "tiled";
    case KernelVariant::TiledFloat4:
        return "tiled-float4";
    case KernelVariant::TiledHalf2:
        return "tiled-half2";
    case KernelVariant::Blocked:
        return "blocked";
    case KernelVariant::Separable:
        return "separable";
    case KernelVariant::Tensor:
        return "tensor";
    case KernelVariant::Fft:
        return "fft";
    }
    return "unknown";
}

std::optional<KernelVariant> kernelVariantNamed(std::string_view name) {
    for (const KernelVariant variant : kernelVariants)
        if (kernelVariantName(variant) == name)
            return variant;
    for (const KernelVariant variant : tunedVariants)
        if (kernelVariantName(variant) == name)
            return variant;
    return std::nullopt;
}

std::string toString(const LaunchPlan &plan) {
    return std::string(kernelVariantName(plan.variant)) + ": grid " + std::to_string(plan.grid.x) + "x" +
           std::to_string(plan.grid.y) + ", block " + std::to_string(plan.block.x) + "x" +
           std::to_string(plan.block.y) + ", shared " + std::to_string(plan.sharedBytes) + " bytes";
}

namespace {

template <class Kernel> LaunchPlan planOfPatches(const ConvolutionShape &shape, BlockedForm form, int warpsOfABlock) {
    LaunchPlan plan;
    plan.variant = KernelVariant::Blocked;
    plan.form = form;
    plan.block = {warpSize_, warpsOfABlock};
    plan.outputsPerThread = Kernel::pixels;
    plan.rowsPerThread = Kernel::rows;
    plan.grid = plan.tilesOver(shape.width, shape.height);
    return plan;
}

template <class P> LaunchPlan plainPatches(const ConvolutionShape &shape, int side) {
    return withPatchSide(side, [&](auto constant) {
        using Kernel = BlockedConvolve<P, P, constant()>;
        return planOfPatches<Kernel>(shape, BlockedForm::Patches, Kernel::maximumThreads / warpSize_);
    });
}

// Of `columns` x `rows` outputs a thread.
LaunchPlan planTiles(BlockedForm form, Extent grid, int threads, int sharedBytes, int columns, int rows) {
    LaunchPlan plan;
    plan.variant = KernelVariant::Blocked;
    plan.form = form;
    plan.grid = grid;
    plan.block = {threads, 1};
    plan.sharedBytes = std::size_t(sharedBytes);
    plan.outputsPerThread = columns;
    plan.rowsPerThread = rows;
    return plan;
}

LaunchPlan planLevelTiles(const ConvolutionShape &shape, int side) {
    const LevelShape level = levelShape(side, shape.channels, isSmallForLevels(shape));
    return planTiles(BlockedForm::LevelTiles, gridOf(level, shape.width, shape.height), level.warps * warpSize_,
                     LevelLayout::of(level).sharedBytes, level.columns() / warpSize_, level.outputRows());
}

LaunchPlan planHalfTiles(const ConvolutionShape &shape, int side) {
    const HalfShape half = halfShape(side);
    return planTiles(BlockedForm::HalfTiles, gridOf(half, shape.width, shape.height), halfWarps * warpSize_,
                     HalfLayout::of(half).sharedBytes, halfColumns / warpSize_, half.outputRows());
}

LaunchPlan planFetchedTiles(const ConvolutionShape &shape, int side) {
    const int channels = shape.channels;
    return withTileSide<largestTileSide(1)>(side, [&](auto constant) {
        const FetchShape tile = fetchShape(constant(), channels, isSmallForTiles(shape.width, shape.height));
        return planTiles(BlockedForm::Tiles, gridOf(tile, channels, shape.width, shape.height), tile.warps * warpSize_,
                         FetchLayout::of(constant(), channels, tile).sharedBytes, fetchedRun / channels,
                         tile.threadRows());
    });
}

PlanResult planMarch(const ConvolutionShape &shape, int side, const DeviceLimits &limits) {
    PlanResult result;
    const bool builtIn = shape.channels == 4 && side <= largestBuiltInMarch;
    if (!builtIn && shape.tapsWidth * shape.tapsHeight > largestMarchTaps) {
        result.plan.variant = KernelVariant::Blocked;
        result.plan.form = BlockedForm::March;
        result.refusal = "a kernel of " + std::to_string(shape.tapsWidth) + "x" + std::to_string(shape.tapsHeight) +
                         " exceeds this variant's " + std::to_string(largestMarchTaps) + " taps";
        return result;
    }
    const MarchShape march =
        builtIn ? marchShape(side, side, side / 2, side / 2, false, true)
                : marchShape(shape.tapsWidth, shape.tapsHeight, shape.tapsWidth / 2, shape.tapsHeight / 2, true, true);
    const MarchStrips strips = marchStrips(march, shape.width, shape.height, shape.channels, limits.multiprocessors);
    result.plan = planTiles(BlockedForm::March, strips.grid, march.threads, marchSharedBytes(march, shape.channels),
                            std::max(march.run / shape.channels, 1), strips.strip);
    return result;
}

PlanResult planBlocked(const ConvolutionShape &shape, const DeviceLimits &limits) {
    const int side = shape.squareSide();
    if (limits.computeCapability >= 90) {
        if (tilesOverLevels(shape, side))
            return {planLevelTiles(shape, side), {}};
        if (tilesOverHalves(shape, side))
            return {planHalfTiles(shape, side), {}};
        if (tilesOverFloats(shape, side))
            return {planFetchedTiles(shape, side), {}};
        // To another type patches serve those that they reach; beyond, the launch has tiled-float4 stand in.
        if (shape.scalarBytes == 4 && side > (shape.converting ? largestPatchSide : largestTileSide(shape.channels)))
            return planMarch(shape, side, limits);
    }
    if (const PlanResult small = planSmallPatches(shape); small.refusal.empty())
        return small;
    return planPatches(shape);
}

} // namespace

std::string tapsRefusal(const ConvolutionShape &shape) {
    if (shape.tapsWidth <= maximumTapsSide && shape.tapsHeight <= maximumTapsSide)
        return {};
    return "a kernel of " + std::to_string(shape.tapsWidth) + "x" + std::to_string(shape.tapsHeight) +
           " exceeds this variant's " + std::to_string(maximumTapsSide) + "x" + std::to_string(maximumTapsSide);
}

PlanResult planPatches(const ConvolutionShape &shape) {
    PlanResult result;
    result.plan.variant = KernelVariant::Blocked;
    const int side = shape.squareSide();
    if (side > largestPatchSide) {
        result.refusal = "a kernel that reaches " + std::to_string(side / 2) +
                         " pixels from its origin exceeds this variant's " + std::to_string(largestPatchSide / 2);
        return result;
    }
    const auto planOf = [&]<class Scalar>(Scalar) {
        return shape.channels == 1 ? plainPatches<Pixel<Scalar, 1>>(shape, side)
                                   : plainPatches<Pixel<Scalar, 4>>(shape, side);
    };
    result.plan = shape.scalarBytes == 4   ? planOf(float{})
                  : shape.scalarBytes == 2 ? planOf(Half{})
                                           : planOf(std::uint8_t{});
    return result;
}

PlanResult planSmallPatches(const ConvolutionShape &shape) {
    PlanResult result;
    result.plan.variant = KernelVariant::Blocked;
    const int side = shape.squareSide();
    const std::int64_t most = side == 3 ? 4'200'000 : 1'100'000;
    const bool sameType = shape.eightBit || (shape.scalarBytes == 4 && !shape.converting);
    if (side > largestPatchSide || shape.channels != 1 || !sameType ||
        std::int64_t(shape.width) * shape.height > most) {
        result.refusal = "small patches are for small pictures of one channel";
        return result;
    }
    using P = Pixel<float, 1>; // the others have the same layout
    result.plan = planOfPatches<BlockedConvolve<P, P, 3, smallPatchShape>>(shape, BlockedForm::SmallPatches, 4);
    return result;
}

namespace {

PlanResult planSeparable(const ConvolutionShape &shape, const DeviceLimits &limits) {
    PlanResult result;
    result.plan.variant = KernelVariant::Separable;
    if (limits.computeCapability < 90)
        result.refusal = "this variant needs a GPU of compute capability 9.0";
    else if (shape.terms == 0)
        result.refusal = "whether this kernel is separable has not been asked";
    if (!result.refusal.empty())
        return result;
    // As most launches are: rows of one type that begin where the taps' window is aligned.
    const int firstColumn = -(shape.tapsWidth / 2);
    SeparablePlan plan = planSeparableBytes(shape, shape.terms, 2, firstColumn, limits);
    if (!plan.refusal.empty())
        plan = tessera::planSeparable(shape, shape.terms, false, firstColumn, true, limits);
    result.refusal = plan.refusal;
    result.plan = plan.launch;
    result.plan.variant = KernelVariant::Separable;
    return result;
}

PlanResult planFft(const ConvolutionShape &shape, const DeviceLimits &limits) {
    PlanResult result;
    result.refusal = planFourier(shape).refusal;
    result.plan = fourierColumnsPlan();
    result.plan.variant = KernelVariant::Fft;
    if (result.refusal.empty() &&
        (limits.computeCapability < 80 || limits.sharedBytesPerBlock < result.plan.sharedBytes))
        result.refusal = "the columns of a tile take " + std::to_string(result.plan.sharedBytes) +
                         " bytes of shared memory, the device has " + std::to_string(limits.sharedBytesPerBlock) +
                         " a block";
    return result;
}

} // namespace

PlanResult planConvolution(KernelVariant variant, const ConvolutionShape &shape, const DeviceLimits &limits) {
    PlanResult result;
    result.plan.variant = variant;
    if (variant == KernelVariant::Blocked)
        return planBlocked(shape, limits);
    if (variant == KernelVariant::Tensor)
        return planTensorConvolution(shape, limits);
    if (variant == KernelVariant::Separable)
        return planSeparable(shape, limits);
    if (variant == KernelVariant::Fft)
        return planFft(shape, limits);
    result.refusal = tapsRefusal(shape);
    if (!result.refusal.empty())
        return result;
    Extent block{32, 8};
    if (isTiled(variant)) {
        const Extent preferred = preferredThreads(shape);
        const auto fits = [&](Extent threads) {
            return threads.area() <= preferred.area() && threads.area() <= limits.threadsPerBlock &&
                   footprintBytes(variant, threads, shape) <= limits.sharedBytesPerBlock;
        };
        const auto found = std::find_if(threadCandidates.begin(), threadCandidates.end(), fits);
        if (found == threadCandidates.end()) {
            result.refusal =
                "the footprint of 8x8 threads under a kernel of " + std::to_string(shape.tapsWidth) + "x" +
                std::to_string(shape.tapsHeight) + " takes " + std::to_string(footprintBytes(variant, {8, 8}, shape)) +
                " bytes of shared memory, the device has " + std::to_string(limits.sharedBytesPerBlock) + " a block";
            return result;
        }
        block = *found;
        result.plan.sharedBytes = footprintBytes(variant, block, shape);
    }
    result.plan.block = block;
    result.plan.outputsPerThread = outputsPerThread(variant, shape);
    result.plan.grid = result.plan.tilesOver(shape.width, shape.height);
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
