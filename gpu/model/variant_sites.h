// What the descriptions of the variants (variants_*.cpp) are made of: lines that several kernels have in common.
#pragma once

#include "gpu/model/convolution_model.h"

#include <functional>
#include <string>
#include <vector>

namespace tessera::model {

using ColumnFunction = std::function<int(int block, int thread, int step)>;
using RowFunction = std::function<SiteRow(int block, int thread, int step)>;

// Where an index through the border leads along one axis; nowhere where the border has a value of its own.
int mapped(BorderMode border, int index, int size);

// First output of a thread along x, or nowhere where it has none; and its output along y.
int outputColumn(const ConvolutionCase &launch, int block, int thread);
int outputRow(const ConvolutionCase &launch, int block, int thread);

// Rows of the source that an output's taps read, one a step; those of a staged tile; and those that a tile's footprint
// takes, `rows` of them.
RowFunction windowRows(const ConvolutionCase &launch);
RowFunction stagedRows(const ConvolutionCase &launch);
RowFunction footprintRows(const ConvolutionCase &launch, int rows);

// The branch of every kernel: threads without output leave.
BranchSite boundsCheck(const ConvolutionCase &launch);

// Sites without their functions.
AccessSite sourceSite(const ConvolutionCase &launch, std::string name);
AccessSite targetSite(const ConvolutionCase &launch, std::string name);
// Elements of `bytes` bytes in rows of `columns`.
AccessSite sharedSite(std::string name, SiteKind kind, int bytes, int columns);

// A loop in which every thread takes every block.x-th of `columns` columns, and every block.y-th of `rows` rows, in
// shared memory.
AccessSite stagingSite(const ConvolutionCase &launch, int bytes, int columns, int rows);

// A read of one source pixel; `column` returns its index before the border.
AccessSite pixelLoads(const ConvolutionCase &launch, std::string name, int stepsX, ColumnFunction column, int stepsY,
                      RowFunction row);

// Reads of `pixels` neighbouring source pixels from a column that is a multiple of `pixels`: in pieces of `perPiece`
// pixels where the row is inside the picture and aligned and the group is inside, else pixel by pixel.
struct GroupShape {
    int pixels = 4;
    int perPiece = 4;
    bool lineAPixel = false; // the kernel has a line for each pixel of the slow way, not a loop
};
std::vector<AccessSite> groupLoads(const ConvolutionCase &launch, const std::string &name, GroupShape group, int steps,
                                   const ColumnFunction &firstColumn, int stepsY, const RowFunction &row);

// The end of every kernel: the reads of pixels whose channels are kept, and the stores pixel by pixel.
AccessSite keptChannels(const ConvolutionCase &launch, bool beyondTheTarget);
AccessSite pixelStores(const ConvolutionCase &launch);

// Pixels that an access of at most 16 bytes moves, of a group of four.
int pixelsPerPiece(int pixelBytes);

} // namespace tessera::model
