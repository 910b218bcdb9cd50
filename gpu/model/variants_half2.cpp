// naive-half2 and tiled-half2, in the words of gpu/kernels/half2.h, naive_half2.h and tiled_half2.h.
//
// One channel: two outputs a thread, from pairs of pixels in even columns. Four: one output a thread, as naive and
// tiled, with half the bytes in shared memory.
#include "gpu/kernels/tiled_half2.h"
#include "gpu/model/variant_sites.h"

namespace tessera::model {

namespace {

constexpr GroupShape pairShape{2, 2, true};

struct PairAlignment {
    int offset, shift; // shift 1: pairs begin one pixel before the window
    explicit PairAlignment(const ConvolutionCase &c) : offset(c.originX - c.anchorX), shift(offset & 1) {}
};

// Pairs that a thread fetches after the first of a row.
int furtherPairs(const ConvolutionCase &c) { return (c.tapsWidth + PairAlignment(c).shift) / 2; }

void addEnd(const ConvolutionCase &c, VariantAccesses &accesses) {
    accesses.unit = ArithmeticUnit::Half2;
    accesses.branches.push_back(boundsCheck(c));
    if (c.someChannelsKept)
        accesses.sites.push_back(keptChannels(c, false));
    accesses.sites.push_back(pixelStores(c));
}

AccessSite pairsFromShared(const ConvolutionCase &c, std::string name, int columns, int first, int pairs) {
    AccessSite site = sharedSite(std::move(name), SiteKind::SharedLoad, int(sizeof(Half2)), columns);
    site.stepsX = pairs;
    site.stepsY = c.tapsHeight;
    site.column = [=](int block, int thread, int step, bool) {
        return outputColumn(c, block, thread) == nowhere ? nowhere : thread + first + step;
    };
    site.row = stagedRows(c);
    return site;
}

} // namespace

VariantAccesses naiveHalf2Accesses(const ConvolutionCase &c) {
    VariantAccesses accesses;
    if (c.plan.outputsPerThread == 1) {
        accesses = naiveAccesses(c);
        accesses.branches = {boundsCheck(c)}; // no short cut for whole windows here
        accesses.unit = ArithmeticUnit::Half2;
        return accesses;
    }
    const PairAlignment alignment(c);
    const ColumnFunction pairs = [=](int block, int thread, int step) {
        const int x = outputColumn(c, block, thread);
        return x == nowhere ? nowhere : x + alignment.offset - alignment.shift + 2 * step;
    };
    accesses.sites =
        groupLoads(c, "taps from the source", pairShape, 1 + furtherPairs(c), pairs, c.tapsHeight, windowRows(c));
    addEnd(c, accesses);
    return accesses;
}

VariantAccesses tiledHalf2Accesses(const ConvolutionCase &c) {
    VariantAccesses accesses;
    if (c.plan.outputsPerThread == 1) {
        accesses = tiledAccesses(c, int(sizeof(HalfPixel)));
        accesses.unit = ArithmeticUnit::Half2;
        return accesses;
    }
    const PairAlignment alignment(c);
    const Extent threads = c.plan.block;
    const int columns = TiledHalf2Convolve<Pixel<float, 1>, Pixel<float, 1>>::footprintColumns(threads.x, c.tapsWidth);
    const int rows = threads.y + c.tapsHeight - 1;
    const ColumnFunction pairs = [=](int block, int thread, int step) {
        const int index = thread + step * threads.x;
        return index < columns ? (block * threads.x + index) * 2 + alignment.offset - alignment.shift : nowhere;
    };
    accesses.barriersPerBlock = 1;
    accesses.sites = groupLoads(c, "footprint from the source", pairShape, ceilDivide(columns, threads.x), pairs,
                                ceilDivide(rows, threads.y), footprintRows(c, rows));
    accesses.sites.push_back(stagingSite(c, int(sizeof(Half2)), columns, rows));
    accesses.sites.push_back(pairsFromShared(c, "first pair of a row from shared memory", columns, 0, 1));
    if (furtherPairs(c) > 0)
        accesses.sites.push_back(pairsFromShared(c, "further pairs from shared memory", columns, 1, furtherPairs(c)));
    addEnd(c, accesses);
    return accesses;
}

} // namespace tessera::model
