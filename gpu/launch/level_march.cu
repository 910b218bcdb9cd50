#include "gpu/launch/cuda_variants.h"
#include "gpu/launch/level_digits.h"
#include "gpu/launch/ring_launch.cuh"

#include <algorithm>
#include <optional>

namespace tessera::cuda {

namespace {

template <LevelShape shape, bool plain>
bool fillMaps(LevelMarch<shape, plain> &kernel, const ConvolutionRequest &request) {
    using Kernel = LevelMarch<shape, plain>;
    const auto source = tensorMapOfWords(request.source, Kernel::Ring::layout.pitch, shape.rows());
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
    using Kernel = LevelMarch<shape, plain>;
    Kernel kernel{};
    // Where only attributes are asked for, there may be no picture.
    if (!target.attributes && !fillMaps(kernel, request))
        return false;
    const RingStrips strips = ring_launch::stripsFor(shape, request);
    setPictures<typename Kernel::P, typename Kernel::P>(kernel.operands, request);
    kernel.operands.strip = strips.strip;
    kernel.operands.finish = digits.finish;
    std::ranges::copy(digits.taps, kernel.operands.taps);
    ring_launch::launch(kernel, strips, target);
    return true;
}

template <int Side, int Channels> bool launchShape(const ConvolutionRequest &request, const LaunchTarget &target) {
    constexpr LevelShape shape = levelShape(Side, Channels);
    const CentredTaps<Side> centred = centredTaps<Side>(request);
    const std::optional<LevelDigits> digits = levelDigitsOf(centred.value, Side, request.finish);
    if (!digits)
        return false;
    return digits->finish.plain ? launchWith<shape, true>(*digits, request, target)
                                : launchWith<shape, false>(*digits, request, target);
}

} // namespace

bool launchLevelMarch(const ConvolutionRequest &request, const LaunchTarget &target) {
    const int channels = request.source.channels;
    if (request.source.type != ScalarType::U8 || request.target.type != ScalarType::U8 ||
        !ring_launch::ringsTake(request) || !rowsAligned(request.target, channels == 1 ? 16 : 8))
        return false;
    const int side = shapeOf(request).centredSide;
    if (channels == 4)
        return side <= 3 ? launchShape<3, 4>(request, target) : launchShape<5, 4>(request, target);
    return side <= 3   ? launchShape<3, 1>(request, target)
           : side <= 5 ? launchShape<5, 1>(request, target)
                       : launchShape<7, 1>(request, target);
}

} // namespace tessera::cuda
