#include "gpu/launch/box_launch.cuh"
#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/level_digits.h"

#include <algorithm>
#include <optional>

namespace tessera::cuda {

namespace {

template <LevelShape shape, bool plain>
bool fillMaps(LevelTile<shape, plain> &kernel, const ConvolutionRequest &request) {
    using Kernel = LevelTile<shape, plain>;
    const auto source = tensorMapOfWords(request.source, Kernel::Box::layout.pitch, shape.boxRows());
    if (!source)
        return false;
    kernel.sourceMap = *source;
    if constexpr (Kernel::boxes) {
        const auto target = tensorMapOfBytes(request.target, shape.columns(), shape.rows());
        if (!target)
            return false;
        kernel.targetMap = *target;
    }
    return true;
}

template <LevelShape shape, bool plain>
bool launchWith(const LevelDigits &digits, const ConvolutionRequest &request, const LaunchTarget &target) {
    using Kernel = LevelTile<shape, plain>;
    Kernel kernel{};
    // Where only attributes are asked for, there may be no picture.
    if (!target.attributes && !fillMaps(kernel, request))
        return false;
    setPictures<typename Kernel::P, typename Kernel::P>(kernel.operands, request);
    kernel.operands.finish = digits.finish;
    std::ranges::copy(digits.taps, kernel.operands.taps);
    box_launch::launch(kernel, gridOf(shape, request.target.width, request.target.height), target);
    return true;
}

template <int Side, int Channels, bool small>
bool launchShape(const ConvolutionRequest &request, const LaunchTarget &target) {
    constexpr LevelShape shape = levelShape(Side, Channels, small);
    const CentredTaps<Side> centred = centredTaps<Side>(request);
    const std::optional<LevelDigits> digits = levelDigitsOf(centred.value, Side, request.finish);
    if (!digits)
        return false;
    return digits->finish.plain ? launchWith<shape, true>(*digits, request, target)
                                : launchWith<shape, false>(*digits, request, target);
}

} // namespace

bool launchLevelTile(const ConvolutionRequest &request, const LaunchTarget &target) {
    const int channels = request.source.channels;
    if (request.source.type != ScalarType::U8 || request.target.type != ScalarType::U8 ||
        !box_launch::boxesTake(request) || !rowsAligned(request.target, channels == 1 ? 16 : 8))
        return false;
    const ConvolutionShape shape = shapeOf(request);
    const int side = shape.centredSide;
    if (channels == 4)
        return side <= 3 ? launchShape<3, 4, false>(request, target) : launchShape<5, 4, false>(request, target);
    if (isSmallForLevels(shape))
        return side <= 3   ? launchShape<3, 1, true>(request, target)
               : side <= 5 ? launchShape<5, 1, true>(request, target)
                           : launchShape<7, 1, true>(request, target);
    return side <= 3   ? launchShape<3, 1, false>(request, target)
           : side <= 5 ? launchShape<5, 1, false>(request, target)
                       : launchShape<7, 1, false>(request, target);
}

} // namespace tessera::cuda
