#include "gpu/kernels/separable_bytes_strip.h"
#include "gpu/launch/separable_launch.cuh"

#include <optional>
#include <utility>

namespace tessera::cuda::separable_launch {

namespace {

template <int side, int parts>
void launchParts(const SeparablePlan &plan, bool quick, const SeparableByteOperands &operands,
                 const LaunchTarget &target) {
    const CudaLauncher launcher(target);
    if (quick)
        launcher.launch(plan.launch, SeparableBytes<side, parts, true>{operands});
    else
        launcher.launch(plan.launch, SeparableBytes<side, parts, false>{operands});
}

template <int side>
void launchSide(const SeparablePlan &plan, int parts, bool quick, const SeparableByteOperands &operands,
                const LaunchTarget &target) {
    if (plan.side != side)
        return;
    if (parts == 1)
        launchParts<side, 1>(plan, quick, operands, target);
    else
        launchParts<side, 2>(plan, quick, operands, target);
}

} // namespace

bool launchBytes(const ConvolutionRequest &request, const model::SeparableFactors &factors, const DeviceLimits &limits,
                 const LaunchTarget &target) {
    const ConvolutionShape shape = shapeOf(request);
    // Asked first: cutting the taps is work for nothing where the picture is none of this form's.
    if (!shape.eightBit || shape.channels != 1 || !rowsAligned(request.source, 16) || !rowsAligned(request.target, 16))
        return false;
    const int firstColumn = request.originX - request.taps->anchorX;
    const int parts = byteParts(factors.terms.front());
    const SeparablePlan plan = planSeparableBytes(shape, termsOf(factors), parts, firstColumn, limits);
    if (!plan.refusal.empty())
        return false;
    const std::optional<ByteTaps> taps = byteTaps(factors.terms.front(), plan.leadingZeros, request.finish);
    if (!taps)
        return false;
    SeparableByteOperands operands = taps->operands;
    operands.source = borderedSource<SeparableByteOperands::Pixels>(request);
    operands.target = request.target.as<SeparableByteOperands::Pixels>();
    operands.firstX = firstColumn - plan.leadingZeros;
    operands.firstY = request.originY - request.taps->anchorY;
    operands.rowsPerSegment = plan.rowsPerSegment;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (launchSide<separableByteSides[I]>(plan, parts, taps->quick, operands, target), ...);
    }
    (std::make_index_sequence<separableByteSides.size()>{});
    return true;
}

} // namespace tessera::cuda::separable_launch
