#include "gpu/model/variant_sites.h"

namespace tessera::model {

int mapped(BorderMode border, int index, int size) {
    const int inside = borderIndex(border, index, size);
    return inside < 0 ? nowhere : inside;
}

int outputColumn(const ConvolutionCase &c, int block, int thread) {
    const int x = (block * c.plan.block.x + thread) * c.plan.outputsPerThread;
    return x < c.targetWidth ? x : nowhere;
}

int outputRow(const ConvolutionCase &c, int block, int thread) {
    const int y = block * c.plan.block.y + thread;
    return y < c.targetHeight ? y : nowhere;
}

namespace {

// A source row as the kernels treat it: plain inside the picture, else through the border.
SiteRow sourceRow(const ConvolutionCase &c, int y) {
    return {mapped(c.border, y, c.sourceHeight), y >= 0 && y < c.sourceHeight};
}

} // namespace

RowFunction windowRows(const ConvolutionCase &c) {
    return [c](int block, int thread, int v) {
        const int y = outputRow(c, block, thread);
        return y == nowhere ? SiteRow{} : sourceRow(c, y + c.originY - c.anchorY + v);
    };
}

RowFunction stagedRows(const ConvolutionCase &c) {
    return [c](int block, int thread, int v) {
        return SiteRow{outputRow(c, block, thread) == nowhere ? nowhere : thread + v};
    };
}

RowFunction footprintRows(const ConvolutionCase &c, int rows) {
    return [c, rows](int block, int thread, int step) {
        const int v = thread + step * c.plan.block.y;
        return v < rows ? sourceRow(c, block * c.plan.block.y + c.originY - c.anchorY + v) : SiteRow{};
    };
}

BranchSite boundsCheck(const ConvolutionCase &c) {
    BranchSite branch;
    branch.name = "has an output";
    branch.column = [c](int block, int thread) {
        return outputColumn(c, block, thread) == nowhere ? BranchSite::No : BranchSite::Yes;
    };
    branch.row = [c](int block, int thread) {
        return outputRow(c, block, thread) == nowhere ? BranchSite::No : BranchSite::Yes;
    };
    return branch;
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

AccessSite targetSite(const ConvolutionCase &c, std::string name) {
    AccessSite site;
    site.name = std::move(name);
    site.kind = SiteKind::GlobalStore;
    site.bytes = c.targetPixelBytes();
    site.columnStep = c.targetPixelBytes();
    site.rowStep = c.targetRowBytes();
    site.row = [c](int block, int thread, int) { return SiteRow{outputRow(c, block, thread)}; };
    return site;
}

AccessSite sharedSite(std::string name, SiteKind kind, int bytes, int columns) {
    AccessSite site;
    site.name = std::move(name);
    site.kind = kind;
    site.bytes = bytes;
    site.columnStep = bytes;
    site.rowStep = std::int64_t(columns) * bytes;
    return site;
}

AccessSite stagingSite(const ConvolutionCase &c, int bytes, int columns, int rows) {
    AccessSite site = sharedSite("footprint into shared memory", SiteKind::SharedStore, bytes, columns);
    const Extent threads = c.plan.block;
    site.stepsX = ceilDivide(columns, threads.x);
    site.stepsY = ceilDivide(rows, threads.y);
    site.column = [=](int, int thread, int step, bool) {
        return thread + step * threads.x < columns ? thread + step * threads.x : nowhere;
    };
    site.row = [=](int, int thread, int step) {
        return SiteRow{thread + step * threads.y < rows ? thread + step * threads.y : nowhere};
    };
    return site;
}

AccessSite pixelLoads(const ConvolutionCase &c, std::string name, int stepsX, ColumnFunction column, int stepsY,
                      RowFunction row) {
    AccessSite site = sourceSite(c, std::move(name));
    site.stepsX = stepsX;
    site.stepsY = stepsY;
    site.column = [c, column = std::move(column)](int block, int thread, int step, bool) {
        const int x = column(block, thread, step);
        return x == nowhere ? nowhere : mapped(c.border, x, c.sourceWidth);
    };
    site.row = std::move(row);
    return site;
}

std::vector<AccessSite> groupLoads(const ConvolutionCase &c, const std::string &name, GroupShape group, int steps,
                                   const ColumnFunction &firstColumn, int stepsY, const RowFunction &row) {
    const int pieceBytes = group.perPiece * c.sourcePixelBytes();
    const bool aligned = c.sourceRowBytes() % pieceBytes == 0;
    const auto fast = [c, aligned, pixels = group.pixels](int x, bool plainRow) {
        return aligned && plainRow && x >= 0 && x + pixels <= c.sourceWidth;
    };
    std::vector<AccessSite> sites;

    AccessSite vector = sourceSite(c, name + ", vectors");
    vector.bytes = pieceBytes;
    const int pieces = group.pixels / group.perPiece;
    vector.stepsX = steps * pieces;
    vector.stepsY = stepsY;
    vector.row = row;
    vector.column = [=](int block, int thread, int step, bool plainRow) {
        const int x = firstColumn(block, thread, step / pieces);
        return x == nowhere || !fast(x, plainRow) ? nowhere : x + step % pieces * group.perPiece;
    };
    sites.push_back(vector);

    // Pixel i of a group: on a line of its own, or on one line that runs `pixels` times.
    const int lines = group.lineAPixel ? group.pixels : 1;
    const int pixelsALine = group.pixels / lines;
    for (int line = 0; line < lines; ++line) {
        AccessSite slow =
            sourceSite(c, name + (lines > 1 ? ", pixel " + std::to_string(line) + " of a group" : ", pixels"));
        slow.stepsX = steps * pixelsALine;
        slow.stepsY = stepsY;
        slow.row = row;
        slow.column = [=](int block, int thread, int step, bool plainRow) {
            const int x = firstColumn(block, thread, step / pixelsALine);
            return x == nowhere || fast(x, plainRow) ? nowhere
                                                     : mapped(c.border, x + line + step % pixelsALine, c.sourceWidth);
        };
        sites.push_back(slow);
    }
    return sites;
}

AccessSite keptChannels(const ConvolutionCase &c, bool beyondTheTarget) {
    AccessSite site = sourceSite(c, "kept channels from the source");
    site.stepsX = c.plan.outputsPerThread;
    site.column = [=](int block, int thread, int step, bool) {
        const int x = outputColumn(c, block, thread);
        return x == nowhere || (!beyondTheTarget && x + step >= c.targetWidth)
                   ? nowhere
                   : mapped(c.border, x + step + c.originX, c.sourceWidth);
    };
    site.row = [=](int block, int thread, int) {
        const int y = outputRow(c, block, thread);
        return y == nowhere ? SiteRow{} : sourceRow(c, y + c.originY);
    };
    return site;
}

AccessSite pixelStores(const ConvolutionCase &c) {
    AccessSite site = targetSite(c, "outputs");
    site.stepsX = c.plan.outputsPerThread;
    site.column = [c](int block, int thread, int step, bool) {
        const int x = outputColumn(c, block, thread);
        return x == nowhere || x + step >= c.targetWidth ? nowhere : x + step;
    };
    return site;
}

int pixelsPerPiece(int pixelBytes) { return pixelBytes <= 4 ? 4 : pixelBytes == 8 ? 2 : 1; }

} // namespace tessera::model
