// Each variant's accesses, in the words of its kernel in gpu/kernels. A new variant is one function here.
#include "gpu/model/convolution_model.h"

#include <stdexcept>

namespace tessera::model {

namespace {

// Where a lane reads along one axis through the border; nowhere where the border has a value of its own.
int mapped(BorderMode border, int index, int size) {
    const int inside = borderIndex(border, index, size);
    return inside < 0 ? nowhere : inside;
}

AccessSite sourceSite(const ConvolutionCase &c, std::string name) {
    AccessSite site;
    site.name = std::move(name);
    site.kind = SiteKind::GlobalLoad;
    site.bytes = c.sourcePixelBytes();
    site.columnStep = c.sourcePixelBytes();
    site.rowStep = c.sourceRowBytes();
    return site;
}

// One output a thread: its store, and before it the read of the pixel whose channels are kept.
void addOutputSites(const ConvolutionCase &c, std::vector<AccessSite> &sites) {
    if (c.someChannelsKept) {
        AccessSite kept = sourceSite(c, "kept channels from the source");
        kept.column = [c](int block, int thread, int, bool) {
            const int x = block * c.plan.block.x + thread;
            return x < c.targetWidth ? mapped(c.border, x + c.originX, c.sourceWidth) : nowhere;
        };
        kept.row = [c](int block, int thread, int) {
            const int y = block * c.plan.block.y + thread;
            return SiteRow{y < c.targetHeight ? mapped(c.border, y + c.originY, c.sourceHeight) : nowhere};
        };
        sites.push_back(kept);
    }
    AccessSite store;
    store.name = "outputs";
    store.kind = SiteKind::GlobalStore;
    store.bytes = c.targetPixelBytes();
    store.columnStep = c.targetPixelBytes();
    store.rowStep = c.targetRowBytes();
    store.column = [c](int block, int thread, int, bool) {
        const int x = block * c.plan.block.x + thread;
        return x < c.targetWidth ? x : nowhere;
    };
    store.row = [c](int block, int thread, int) {
        const int y = block * c.plan.block.y + thread;
        return SiteRow{y < c.targetHeight ? y : nowhere};
    };
    sites.push_back(store);
}

} // namespace

VariantAccesses naiveAccesses(const ConvolutionCase &c) {
    VariantAccesses accesses;
    AccessSite taps = sourceSite(c, "taps from the source");
    taps.stepsX = c.tapsWidth;
    taps.stepsY = c.tapsHeight;
    taps.column = [c](int block, int thread, int u, bool) {
        const int x = block * c.plan.block.x + thread;
        return x < c.targetWidth ? mapped(c.border, x + c.originX - c.anchorX + u, c.sourceWidth) : nowhere;
    };
    taps.row = [c](int block, int thread, int v) {
        const int y = block * c.plan.block.y + thread;
        return SiteRow{y < c.targetHeight ? mapped(c.border, y + c.originY - c.anchorY + v, c.sourceHeight) : nowhere};
    };
    accesses.sites.push_back(taps);
    addOutputSites(c, accesses.sites);
    return accesses;
}

VariantAccesses tiledAccesses(const ConvolutionCase &c) {
    VariantAccesses accesses;
    accesses.barriersPerBlock = 1;
    const Extent tile = c.plan.block;
    const int footprintWidth = tile.x + c.tapsWidth - 1;
    const int footprintHeight = tile.y + c.tapsHeight - 1;
    const int stepsX = ceilDivide(footprintWidth, tile.x);
    const int stepsY = ceilDivide(footprintHeight, tile.y);

    AccessSite load = sourceSite(c, "footprint from the source");
    load.stepsX = stepsX;
    load.stepsY = stepsY;
    load.column = [=](int block, int thread, int step, bool) {
        const int u = thread + step * tile.x;
        return u < footprintWidth ? mapped(c.border, block * tile.x + c.originX - c.anchorX + u, c.sourceWidth)
                                  : nowhere;
    };
    load.row = [=](int block, int thread, int step) {
        const int v = thread + step * tile.y;
        const int y = block * tile.y + c.originY - c.anchorY + v;
        return SiteRow{v < footprintHeight ? mapped(c.border, y, c.sourceHeight) : nowhere};
    };
    accesses.sites.push_back(load);

    AccessSite shared;
    shared.bytes = c.sourcePixelBytes();
    shared.columnStep = c.sourcePixelBytes();
    shared.rowStep = std::int64_t(footprintWidth) * c.sourcePixelBytes();

    AccessSite stage = shared;
    stage.name = "footprint into shared memory";
    stage.kind = SiteKind::SharedStore;
    stage.stepsX = stepsX;
    stage.stepsY = stepsY;
    stage.column = [=](int, int thread, int step, bool) {
        return thread + step * tile.x < footprintWidth ? thread + step * tile.x : nowhere;
    };
    stage.row = [=](int, int thread, int step) {
        return SiteRow{thread + step * tile.y < footprintHeight ? thread + step * tile.y : nowhere};
    };
    accesses.sites.push_back(stage);

    AccessSite taps = shared;
    taps.name = "taps from shared memory";
    taps.kind = SiteKind::SharedLoad;
    taps.stepsX = c.tapsWidth;
    taps.stepsY = c.tapsHeight;
    taps.column = [=](int block, int thread, int u, bool) {
        return block * tile.x + thread < c.targetWidth ? thread + u : nowhere;
    };
    taps.row = [=](int block, int thread, int v) {
        return SiteRow{block * tile.y + thread < c.targetHeight ? thread + v : nowhere};
    };
    accesses.sites.push_back(taps);
    addOutputSites(c, accesses.sites);
    return accesses;
}

VariantAccesses accessesOf(const ConvolutionCase &launch) {
    switch (launch.plan.variant) {
    case KernelVariant::Naive:
        return naiveAccesses(launch);
    case KernelVariant::Tiled:
        return tiledAccesses(launch);
    }
    throw std::invalid_argument("no model of this variant");
}

} // namespace tessera::model
