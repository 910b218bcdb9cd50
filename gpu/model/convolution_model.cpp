#include "gpu/model/convolution_model.h"

#include <algorithm>
#include <stdexcept>

namespace tessera::model {

namespace {

// Source indices along one axis that some output needs.
std::int64_t neededValues(BorderMode border, int origin, int outputs, int anchor, int taps, int sourceSize) {
    std::vector<bool> needed(std::size_t(sourceSize), false);
    std::int64_t count = 0;
    for (int i = origin - anchor; i < origin - anchor + outputs + taps - 1; ++i) {
        const int index = borderIndex(border, i, sourceSize);
        if (index >= 0 && !needed[std::size_t(index)]) {
            needed[std::size_t(index)] = true;
            ++count;
        }
    }
    return count;
}

void check(const ConvolutionCase &launch) {
    if (launch.sourceWidth < 1 || launch.sourceHeight < 1 || launch.targetWidth < 1 || launch.targetHeight < 1)
        throw std::invalid_argument("an empty picture has no accesses to model");
    if (launch.tapsWidth < 1 || launch.tapsHeight < 1)
        throw std::invalid_argument("an empty kernel has no accesses to model");
}

GridAxis axisOf(int blocks, int tile, int outputs, int origin, int anchor, int taps, int sourceSize) {
    constexpr int slack = 8; // kernels that read groups begin up to three pixels earlier and end as much later
    GridAxis axis;
    axis.blocks = blocks;
    axis.tile = tile;
    axis.outputs = outputs;
    axis.origin = origin;
    axis.before = anchor + slack;
    axis.after = taps - 1 - anchor + slack;
    axis.sourceSize = sourceSize;
    return axis;
}

IdleThreads idleThreads(const ConvolutionCase &launch) {
    const Extent tile = launch.plan.tile();
    const LaunchPlan &plan = launch.plan;
    // Threads with at least one output, along each axis.
    const int busyColumns = ceilDivide(launch.targetWidth, tile.x / plan.block.x);
    const int busyRows = ceilDivide(launch.targetHeight, tile.y / plan.block.y);
    IdleThreads idle;
    idle.columns = plan.grid.x * plan.block.x - busyColumns;
    idle.rows = plan.grid.y * plan.block.y - busyRows;
    idle.total = plan.threads() - std::int64_t(busyColumns) * busyRows;
    return idle;
}

} // namespace

LaunchClasses launchClasses(const ConvolutionCase &launch) {
    const Extent tile = launch.plan.tile();
    GridAxis x = axisOf(launch.plan.grid.x, tile.x, launch.targetWidth, launch.originX, launch.anchorX,
                        launch.tapsWidth, launch.sourceWidth);
    x.sourceStep = launch.sourcePixelBytes();
    x.targetStep = launch.targetPixelBytes();
    GridAxis y = axisOf(launch.plan.grid.y, tile.y, launch.targetHeight, launch.originY, launch.anchorY,
                        launch.tapsHeight, launch.sourceHeight);
    y.sourceStep = launch.sourceRowBytes();
    y.targetStep = launch.targetRowBytes();
    return {launch.plan.block, blockClasses(x), blockClasses(y)};
}

double SiteModel::perRequest() const {
    const std::int64_t cost = isGlobal(kind) ? counts.sectors : counts.passes;
    return counts.requests ? double(cost) / double(counts.requests) : 0.0;
}

std::int64_t ConvolutionModel::total(SiteKind kind, std::int64_t SiteCounts::*member) const {
    std::int64_t sum = 0;
    for (const SiteModel &site : sites)
        if (site.kind == kind)
            sum += site.counts.*member;
    return sum;
}

std::int64_t ConvolutionModel::askedBytes() const {
    return total(SiteKind::GlobalLoad, &SiteCounts::bytes) + total(SiteKind::GlobalStore, &SiteCounts::bytes);
}

std::int64_t ConvolutionModel::movedBytes() const {
    return 32 *
           (total(SiteKind::GlobalLoad, &SiteCounts::sectors) + total(SiteKind::GlobalStore, &SiteCounts::sectors));
}

std::int64_t ConvolutionModel::bankConflicts() const {
    std::int64_t sum = 0;
    for (const SiteModel &site : sites)
        sum += site.counts.bankConflicts();
    return sum;
}

double ConvolutionModel::readsPerValue() const {
    return mustReadBytes ? double(total(SiteKind::GlobalLoad, &SiteCounts::bytes)) / double(mustReadBytes) : 0.0;
}

ConvolutionModel modelOf(const ConvolutionCase &launch) {
    check(launch);
    ConvolutionModel model;
    model.launch = launch;
    model.outputs = std::int64_t(launch.targetWidth) * launch.targetHeight;
    model.idle = idleThreads(launch);
    const LaunchClasses classes = launchClasses(launch);
    const VariantAccesses accesses = accessesOf(launch);
    for (const AccessSite &site : accesses.sites)
        model.sites.push_back({site.name, site.kind, site.bytes, countSite(site, classes)});
    for (const BranchSite &branch : accesses.branches)
        model.divergentWarps += countDivergentWarps(branch, classes);
    model.barriers = launch.plan.blocks() * accesses.barriersPerBlock;
    model.mustReadBytes = neededValues(launch.border, launch.originX, launch.targetWidth, launch.anchorX,
                                       launch.tapsWidth, launch.sourceWidth) *
                          neededValues(launch.border, launch.originY, launch.targetHeight, launch.anchorY,
                                       launch.tapsHeight, launch.sourceHeight) *
                          launch.sourcePixelBytes();
    model.mustWriteBytes = model.outputs * launch.targetPixelBytes();
    model.operations = 2 * std::int64_t(launch.tapsWidth) * launch.tapsHeight * model.outputs * launch.channels;
    model.unit = accesses.unit;
    return model;
}

} // namespace tessera::model
