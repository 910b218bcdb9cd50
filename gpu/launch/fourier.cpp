#include "gpu/launch/fourier.h"

#include <algorithm>

namespace tessera {

namespace {

std::size_t workspaceBytes(const FourierPlan &plan, const ConvolutionShape &shape, int rows) {
    const int half = plan.half(rows);
    const std::size_t work =
        sizeof(Complex) * fourierSide * std::size_t(plan.tileColumns) * std::size_t(plan.planes) *
        (2 * std::size_t(half) + std::size_t(shape.tapsHeight) - 1);
    // Preparing the spectrum needs the taps and the transforms of their rows.
    const std::size_t preparing = std::size_t(shape.tapsHeight) *
                                  (sizeof(float) * std::size_t(shape.tapsWidth) + sizeof(Complex) * fourierSide + 16);
    return std::max(work, preparing);
}

} // namespace

LaunchPlan fourierColumnsPlan() {
    LaunchPlan plan;
    plan.block = {fourier::columnThreads, 1};
    plan.grid = {fourierSide / fourier::columnsPerBlock, 1};
    plan.sharedBytes = fourier::columnSharedBytes;
    return plan;
}

FourierPlan planFourier(const ConvolutionShape &shape, std::size_t workspaceLimit) {
    FourierPlan plan;
    if (shape.tapsWidth > maximumFourierTapsSide || shape.tapsHeight > maximumFourierTapsSide) {
        plan.refusal = "a kernel of " + std::to_string(shape.tapsWidth) + "x" + std::to_string(shape.tapsHeight) +
                       " exceeds this variant's " + std::to_string(maximumFourierTapsSide) + "x" +
                       std::to_string(maximumFourierTapsSide);
        return plan;
    }
    plan.planes = shape.channels == 1 ? 1 : 2;
    plan.tileColumns = ceilDivide(shape.width, fourierSide - shape.tapsWidth + 1);
    plan.bandRows = shape.height;
    // Bands cost their overlap again: the fewer the better.
    while (plan.bandRows > fourierSide / 4 && workspaceBytes(plan, shape, plan.bandRows) > workspaceLimit)
        plan.bandRows = ceilDivide(plan.bandRows, 2);
    plan.tileRows = ceilDivide(plan.half(plan.bandRows), fourierSide - shape.tapsHeight + 1);
    plan.workspaceBytes = workspaceBytes(plan, shape, plan.bandRows);
    return plan;
}

} // namespace tessera
