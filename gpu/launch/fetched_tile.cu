#include "gpu/launch/compiled_taps.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/plan_tiles.h"
#include "gpu/launch/tensor_map.h"

namespace tessera::cuda {

namespace {

std::string shapeText(const FetchShape &s) {
    return "tessera::FetchShape{" + std::to_string(s.rows) + ", " + std::to_string(s.warps) + ", " +
           std::to_string(s.blocks) + ", " + std::to_string(s.parts) + "}";
}

template <int Channels, int Side, FetchShape shape> LaunchPlan planOf(const ConvolutionRequest &request) {
    LaunchPlan plan;
    plan.variant = KernelVariant::Blocked;
    plan.grid = gridOf(shape, Channels, request.target.width, request.target.height);
    plan.block = {shape.warps * warpSize_, 1};
    plan.sharedBytes = std::size_t(FetchLayout::of(Side, Channels, shape).sharedBytes);
    return plan;
}

// With the taps as constants.
template <int Side, FetchShape shape>
bool launchCompiled(const TensorMap &map, const FloatOperands<1> &operands, const ConvolutionRequest &request,
                    const LaunchTarget &target) {
    const Taps &taps = *request.taps;
    const CentredTaps<Side> centred = centredTaps<Side>(request);
    const std::string type = "tessera::FetchedTile<1, " + std::to_string(Side) + ", " + shapeText(shape);
    const auto kernel =
        compiledKernel({"gpu/kernels/fetched_tile.h", type, "tile(tessera::NoFetchSink{})"},
                       {centred.value, Side, Side / 2 - taps.anchorX, Side / 2 - taps.anchorY, taps.width, taps.height},
                       request, {0.84, 0.9});
    if (!kernel)
        return false;
    // The parameter of the compiled kernel.
    struct Parameters {
        TensorMap map;
        FloatOperands<1> operands;
        NoTaps taps;
    } const parameters{map, operands, {}};
    const LaunchPlan plan = planOf<1, Side, shape>(request);
    kernel->launch(dim3(unsigned(plan.grid.x), unsigned(plan.grid.y)), dim3(unsigned(plan.block.x)), plan.sharedBytes,
                   target.stream, &parameters);
    return true;
}

// All channels are filtered: see restoreChannels().
template <int Channels, int Side, bool small>
bool launchSide(const ConvolutionRequest &request, const LaunchTarget &target) {
    constexpr FetchShape shape = fetchShape(Side, Channels, small);
    constexpr FetchLayout layout = FetchLayout::of(Side, Channels, shape);
    std::optional<TensorMap> map = TensorMap{}; // where only attributes are asked for, there may be no picture
    if (!target.attributes)
        map = tensorMapOf(request.source, layout.pitch, layout.height);
    if (!map)
        return false;
    const FloatOperands<Channels> operands = floatOperands<Channels>(request);
    if constexpr (Side >= smallestCompiledTile)
        if (!target.attributes && launchCompiled<Side, shape>(*map, operands, request, target))
            return true;
    using TapTable = MarchTaps<Side * Side>;
    CudaLauncher(target).launch(
        planOf<Channels, Side, shape>(request),
        FetchedTile<Channels, Side, shape, TapTable>{*map, operands, centredMarchTaps<Side>(request)});
    return true;
}

template <int Channels> bool launchChannels(const ConvolutionRequest &request, const LaunchTarget &target) {
    const int side = shapeOf(request).centredSide;
    const bool small = isSmallForTiles(request.target.width, request.target.height);
    return withTileSide<largestTileSide(Channels)>(side, [&]<int Side>(std::integral_constant<int, Side>) {
        if constexpr (fetchShape(Side, Channels, true) != fetchShape(Side, Channels, false))
            if (small)
                return launchSide<Channels, Side, true>(request, target);
        return launchSide<Channels, Side, false>(request, target);
    });
}

} // namespace

bool launchFetchedTile(const ConvolutionRequest &request, const LaunchTarget &target) {
    const bool launched =
        request.source.channels == 1 ? launchChannels<1>(request, target) : launchChannels<4>(request, target);
    if (launched)
        restoreChannels(request, target);
    return launched;
}

} // namespace tessera::cuda
