#include "gpu/launch/box_launch.cuh"
#include "gpu/launch/cuda_variants.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

namespace tessera::cuda {

namespace {

// The power of two that brings the largest tap just below 2^15; nothing where no half or float stands for what follows.
std::optional<int> scaleUp(std::span<const float> taps) {
    float largest = 0;
    for (const float tap : taps) {
        if (!std::isfinite(tap))
            return std::nullopt;
        largest = std::max(largest, std::fabs(tap));
    }
    int exponent = 0;
    static_cast<void>(std::frexp(largest, &exponent));
    return std::abs(exponent) <= 40 ? std::optional(15 - exponent) : std::nullopt;
}

// Each as a half and what it leaves, another half.
void writeTaps(HalfOperands &operands, std::span<const float> taps, int side, int up) {
    const auto write = [&](int row, int u, std::uint16_t bits) {
        operands.taps[row * halfTapWords + u / 2] |= std::uint32_t(bits) << (u % 2 * 16);
    };
    for (int v = 0; v < side; ++v)
        for (int u = 0; u < side; ++u) {
            const float scaled = std::ldexp(taps[std::size_t(v * side + u)], up);
            const std::uint16_t high = halfBitsFromFloat(scaled);
            write(v, u, high);
            write(side + v, u, halfBitsFromFloat(scaled - floatFromHalfBits(high)));
        }
}

template <int Side> bool launchSide(const ConvolutionRequest &request, const LaunchTarget &target) {
    constexpr HalfShape shape = halfShape(Side);
    using Kernel = HalfTile<shape>;
    const CentredTaps<Side> centred = centredTaps<Side>(request);
    const std::optional<int> up = scaleUp(centred.value);
    if (!up)
        return false;
    Kernel kernel{};
    if (!target.attributes) { // else there may be no picture
        const auto map = tensorMapOfWords(request.source, Kernel::Box::layout.pitch, shape.boxRows());
        if (!map)
            return false;
        kernel.sourceMap = *map;
    }
    setPictures<HalfOperands::P, HalfOperands::P>(kernel.operands, request);
    kernel.operands.scale = std::ldexp(1.0f, -*up) / request.finish.divisor;
    kernel.operands.offset = request.finish.offset;
    writeTaps(kernel.operands, centred.value, Side, *up);
    box_launch::launch(kernel, gridOf(shape, request.target.width, request.target.height), target);
    return true;
}

} // namespace

bool launchHalfTile(const ConvolutionRequest &request, const LaunchTarget &target) {
    if (request.source.type != ScalarType::F16 || request.target.type != ScalarType::F16 ||
        !box_launch::boxesTake(request) || !rowsAligned(request.target, 4))
        return false;
    const int side = shapeOf(request).centredSide;
    return side <= 3   ? launchSide<3>(request, target)
           : side <= 5 ? launchSide<5>(request, target)
           : side <= 7 ? launchSide<7>(request, target)
                       : launchSide<9>(request, target);
}

} // namespace tessera::cuda
