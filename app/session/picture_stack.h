// A picture with its halves, quarters, eighths, ...: what a canvas needs to draw any zoom in time that depends on the
// window and not on the picture.
#pragma once

#include "app/core/run_control.h"
#include "app/image/image.h"

#include <vector>

namespace tessera {

// Immutable once built, so that the window may draw it while a worker reads it. Level 0 is the picture itself, level
// n has ceil(size / 2^n) pixels a side in the picture's own depth. A small picture has level 0 alone.
class PictureStack {
public:
    PictureStack() = default;

    // Levels down to a longer side of at most `smallestSide`. About a third of the picture's memory on top of it.
    // Throws Error{Cancelled}, Error{Limit}.
    static PictureStack build(SharedImage picture, const RunControl &control = {}, int smallestSide = 256);

    bool empty() const { return levels_.empty(); }
    int levels() const { return int(levels_.size()); }
    const Image &level(int index) const { return *levels_[std::size_t(index)]; }
    const SharedImage &picture() const { return levels_.front(); }
    const SharedImage &sharedLevel(int index) const { return levels_[std::size_t(index)]; }

    // The coarsest level whose pixels are not larger than a screen pixel at `zoom` (screen pixels a picture pixel).
    int levelForZoom(double zoom) const;

private:
    std::vector<SharedImage> levels_;
};

// Half the size, each pixel the mean of four; an odd last row or column repeats. With alpha the colours are weighted
// by it, so that the colour of transparent pixels does not bleed into the edges.
Image halvePicture(const ConstPixelView &picture, const RunControl &control = {});

} // namespace tessera
