#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/march_launch.cuh"
#include "gpu/launch/tensor_map.h"

#include <optional>

namespace tessera::cuda::march_launch {

namespace {

using Grey = FloatPixel<1>;

std::optional<TensorMap> mapOf(const MarchShape &shape, const ConvolutionRequest &request, const LaunchTarget &target) {
    if (target.attributes) // nothing is launched, and there may be no picture
        return TensorMap{};
    return tensorMapOf(request.source, WarpMarchLayout::of(shape).pitch, shape.rows);
}

Operands<1> unmaskedOperands(const ConvolutionRequest &request, const MarchStrips &strips) {
    Operands<1> operands = operandsOf<1>(request, strips);
    operands.finish.kept = 0;
    return operands;
}

// Centred squares, taps as data.
template <int Side> bool launchSide(const ConvolutionRequest &request, const LaunchTarget &target) {
    constexpr MarchShape shape = marchShape(Side, Side, Side / 2, Side / 2, 1, false, true);
    const std::optional<TensorMap> map = mapOf(shape, request, target);
    if (!map)
        return false;
    const MarchStrips strips = stripsOf(shape, request);
    const WarpMarch<shape, MarchTaps<Side * Side>> kernel{*map, unmaskedOperands(request, strips),
                                                          marchTaps<Side>(request)};
    CudaLauncher(target).launch(laidOut(shape, strips, 1), kernel);
    restoreChannels(request, target);
    return true;
}

} // namespace

bool launchWarpBuiltIn(int side, const ConvolutionRequest &request, const LaunchTarget &target) {
    return side <= 9    ? launchSide<9>(request, target)
           : side <= 11 ? launchSide<11>(request, target)
           : side <= 13 ? launchSide<13>(request, target)
                        : launchSide<15>(request, target);
}

bool launchWarpSpecialised(const ConvolutionRequest &request, const LaunchTarget &target) {
    const Taps &taps = *request.taps;
    const MarchShape shape = marchShape(taps.width, taps.height, taps.anchorX, taps.anchorY, 1, true, true);
    const auto kernel = compiled(shape, request, "gpu/kernels/warp_march.h", "WarpMarch", "", {0.82, 0.92});
    const std::optional<TensorMap> map = kernel ? mapOf(shape, request, target) : std::nullopt;
    if (!map)
        return false;
    const MarchStrips strips = stripsOf(shape, request);
    // The parameter of the compiled kernel.
    struct Parameters {
        TensorMap map;
        Operands<1> operands;
        NoTaps taps;
    } const parameters{*map, unmaskedOperands(request, strips), {}};
    launch(*kernel, shape, strips, 1, target, &parameters);
    restoreChannels(request, target);
    return true;
}

} // namespace tessera::cuda::march_launch
