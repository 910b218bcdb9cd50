// naive and tiled, in the words of gpu/kernels/naive.h and tiled.h.
#include "gpu/model/variant_sites.h"

#include <stdexcept>

namespace tessera::model {

namespace {

void addEnd(const ConvolutionCase &c, VariantAccesses &accesses) {
    accesses.branches.push_back(boundsCheck(c));
    if (c.someChannelsKept)
        accesses.sites.push_back(keptChannels(c, false));
    accesses.sites.push_back(pixelStores(c));
}

// The source column under tap u of a thread's output, before the border.
ColumnFunction windowColumns(const ConvolutionCase &c) {
    return [c](int block, int thread, int u) {
        const int x = outputColumn(c, block, thread);
        return x == nowhere ? nowhere : x + c.originX - c.anchorX + u;
    };
}

} // namespace

namespace {

// A thread whose whole window lies inside the picture asks no more about the border.
BranchSite wholeWindow(const ConvolutionCase &c) {
    const auto inside = [](int output, int first, int taps, int size) {
        if (output == nowhere)
            return BranchSite::Absent;
        return output + first >= 0 && output + first + taps <= size ? BranchSite::Yes : BranchSite::No;
    };
    BranchSite branch;
    branch.name = "whole window inside";
    branch.column = [=](int block, int thread) {
        return inside(outputColumn(c, block, thread), c.originX - c.anchorX, c.tapsWidth, c.sourceWidth);
    };
    branch.row = [=](int block, int thread) {
        return inside(outputRow(c, block, thread), c.originY - c.anchorY, c.tapsHeight, c.sourceHeight);
    };
    return branch;
}

} // namespace

VariantAccesses naiveAccesses(const ConvolutionCase &c) {
    VariantAccesses accesses;
    accesses.sites.push_back(
        pixelLoads(c, "taps from the source", c.tapsWidth, windowColumns(c), c.tapsHeight, windowRows(c)));
    accesses.branches.push_back(wholeWindow(c));
    addEnd(c, accesses);
    return accesses;
}

VariantAccesses tiledAccesses(const ConvolutionCase &c, int stagedBytes) {
    VariantAccesses accesses;
    accesses.barriersPerBlock = 1;
    const Extent tile = c.plan.block;
    const int columns = tile.x + c.tapsWidth - 1;
    const int rows = tile.y + c.tapsHeight - 1;
    const ColumnFunction footprintColumns = [=](int block, int thread, int step) {
        const int u = thread + step * tile.x;
        return u < columns ? block * tile.x + c.originX - c.anchorX + u : nowhere;
    };
    accesses.sites.push_back(pixelLoads(c, "footprint from the source", ceilDivide(columns, tile.x), footprintColumns,
                                        ceilDivide(rows, tile.y), footprintRows(c, rows)));
    accesses.sites.push_back(stagingSite(c, stagedBytes, columns, rows));

    AccessSite taps = sharedSite("taps from shared memory", SiteKind::SharedLoad, stagedBytes, columns);
    taps.stepsX = c.tapsWidth;
    taps.stepsY = c.tapsHeight;
    taps.column = [c](int block, int thread, int u, bool) {
        return outputColumn(c, block, thread) == nowhere ? nowhere : thread + u;
    };
    taps.row = stagedRows(c);
    accesses.sites.push_back(taps);
    addEnd(c, accesses);
    return accesses;
}

VariantAccesses accessesOf(const ConvolutionCase &c) {
    switch (c.plan.variant) {
    case KernelVariant::Naive:
        return naiveAccesses(c);
    case KernelVariant::NaiveFloat4:
        return naiveFloat4Accesses(c);
    case KernelVariant::NaiveHalf2:
        return naiveHalf2Accesses(c);
    case KernelVariant::Tiled:
        return tiledAccesses(c, c.sourcePixelBytes());
    case KernelVariant::TiledFloat4:
        return tiledFloat4Accesses(c);
    case KernelVariant::TiledHalf2:
        return tiledHalf2Accesses(c);
    default:
        break; // the tuned ones are measured, not modelled
    }
    throw std::invalid_argument("no model of this variant");
}

} // namespace tessera::model
