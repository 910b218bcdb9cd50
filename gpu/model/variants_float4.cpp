// naive-float4 and tiled-float4, in the words of gpu/kernels/naive_float4.h, tiled_float4.h and vector_access.h.
#include "gpu/kernels/tiled_float4.h"
#include "gpu/model/variant_sites.h"

namespace tessera::model {

namespace {

constexpr int group = pixelsPerGroup;

// Groups begin in multiples of four columns, up to three pixels before the window.
struct GroupAlignment {
    int offset, shift;
    explicit GroupAlignment(const ConvolutionCase &c)
        : offset(c.originX - c.anchorX), shift(offset - alignDown(offset)) {}
};

// Groups that one thread's four windows take.
int windowGroups(const ConvolutionCase &c) {
    return ceilDivide(c.tapsWidth + group - 1 + GroupAlignment(c).shift, group);
}

GroupShape groupShape(const ConvolutionCase &c) { return {group, pixelsPerPiece(c.sourcePixelBytes()), false}; }

// Four outputs: in vectors where the target's rows are aligned and all four are there, else pixel by pixel.
void addEnd(const ConvolutionCase &c, VariantAccesses &accesses) {
    accesses.branches.push_back(boundsCheck(c));
    if (c.someChannelsKept)
        accesses.sites.push_back(keptChannels(c, true));
    const int perPiece = pixelsPerPiece(c.targetPixelBytes());
    const bool aligned = c.targetRowBytes() % (std::int64_t(perPiece) * c.targetPixelBytes()) == 0;
    const auto whole = [=](int x) { return aligned && x + group <= c.targetWidth; };

    AccessSite vectors = targetSite(c, "outputs, vectors");
    vectors.bytes = perPiece * c.targetPixelBytes();
    vectors.stepsX = group / perPiece;
    vectors.column = [=](int block, int thread, int step, bool) {
        const int x = outputColumn(c, block, thread);
        return x == nowhere || !whole(x) ? nowhere : x + step * perPiece;
    };
    accesses.sites.push_back(vectors);

    AccessSite pixels = pixelStores(c);
    pixels.name = "outputs, pixels";
    pixels.column = [=, every = pixels.column](int block, int thread, int step, bool plain) {
        const int x = outputColumn(c, block, thread);
        return x == nowhere || whole(x) ? nowhere : every(block, thread, step, plain);
    };
    accesses.sites.push_back(pixels);
}

} // namespace

VariantAccesses naiveFloat4Accesses(const ConvolutionCase &c) {
    VariantAccesses accesses;
    const GroupAlignment alignment(c);
    const ColumnFunction groups = [=](int block, int thread, int step) {
        const int x = outputColumn(c, block, thread);
        return x == nowhere ? nowhere : x + alignment.offset - alignment.shift + step * group;
    };
    accesses.sites =
        groupLoads(c, "taps from the source", groupShape(c), windowGroups(c), groups, c.tapsHeight, windowRows(c));
    addEnd(c, accesses);
    return accesses;
}

VariantAccesses tiledFloat4Accesses(const ConvolutionCase &c) {
    const GroupAlignment alignment(c);
    const Extent threads = c.plan.block;
    const int groups = TiledVectorConvolve<Pixel<float, 1>, Pixel<float, 1>>::footprintGroups(threads.x, c.tapsWidth);
    const int rows = threads.y + c.tapsHeight - 1;
    const int steps = ceilDivide(groups, threads.x);
    const ColumnFunction columns = [=](int block, int thread, int step) {
        const int index = thread + step * threads.x;
        return index < groups ? block * threads.x * group + alignment.offset - alignment.shift + index * group
                              : nowhere;
    };
    VariantAccesses accesses;
    accesses.barriersPerBlock = 1;
    accesses.sites = groupLoads(c, "footprint from the source", groupShape(c), steps, columns,
                                ceilDivide(rows, threads.y), footprintRows(c, rows));

    // A group lies in shared memory as its pieces, one after the other.
    const int perPiece = pixelsPerPiece(c.sourcePixelBytes());
    const int pieces = group / perPiece;
    AccessSite stage = stagingSite(c, perPiece * c.sourcePixelBytes(), groups, rows);
    stage.rowStep *= pieces;
    stage.stepsX = steps * pieces;
    stage.column = [=](int, int thread, int step, bool) {
        const int index = thread + step / pieces * threads.x;
        return index < groups ? index * pieces + step % pieces : nowhere;
    };
    accesses.sites.push_back(stage);

    AccessSite taps =
        sharedSite("taps from shared memory", SiteKind::SharedLoad, perPiece * c.sourcePixelBytes(), groups * pieces);
    taps.stepsX = windowGroups(c) * pieces;
    taps.stepsY = c.tapsHeight;
    taps.column = [=](int block, int thread, int step, bool) {
        return outputColumn(c, block, thread) == nowhere ? nowhere : (thread + step / pieces) * pieces + step % pieces;
    };
    taps.row = stagedRows(c);
    accesses.sites.push_back(taps);
    addEnd(c, accesses);
    return accesses;
}

} // namespace tessera::model
