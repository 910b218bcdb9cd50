#include "app/image/orientation.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera {

namespace {

// Where the upright pixel (x, y) lies in the stored picture: an origin plus a step for each of x and y.
struct Walk {
    std::ptrdiff_t origin, stepX, stepY;
};

Walk walkFor(const ConstPixelView &stored, int orientation) {
    const std::ptrdiff_t column = stored.format.bytesPerPixel();
    const std::ptrdiff_t row = stored.pitch;
    const std::ptrdiff_t right = (stored.width - 1) * column;
    const std::ptrdiff_t bottom = (stored.height - 1) * row;
    switch (orientation) {
    case 2:
        return {right, -column, row};
    case 3:
        return {right + bottom, -column, -row};
    case 4:
        return {bottom, column, -row};
    case 5:
        return {0, row, column};
    case 6:
        return {bottom, -row, column};
    case 7:
        return {right + bottom, -row, -column};
    case 8:
        return {right, row, -column};
    default:
        return {0, column, row};
    }
}

// `Size` bytes a pixel, known when compiled so that a pixel is one or two moves.
template <int Size> void copyWalk(const ConstPixelView &stored, const PixelView &upright, const Walk &walk) {
    constexpr int block = 64; // square blocks keep both pictures in the cache when rows become columns
    for (int top = 0; top < upright.height; top += block) {
        for (int left = 0; left < upright.width; left += block) {
            for (int y = top; y < std::min(top + block, upright.height); ++y) {
                const std::byte *from = stored.data + walk.origin + walk.stepY * y + walk.stepX * left;
                std::byte *to = upright.data + upright.pitch * y + std::ptrdiff_t(left) * Size;
                for (int x = left; x < std::min(left + block, upright.width); ++x, from += walk.stepX, to += Size)
                    std::memcpy(to, from, Size);
            }
        }
    }
}

void copyWalk(const ConstPixelView &stored, const PixelView &upright, const Walk &walk) {
    switch (stored.format.bytesPerPixel()) {
    case 1:
        return copyWalk<1>(stored, upright, walk);
    case 2:
        return copyWalk<2>(stored, upright, walk);
    case 3:
        return copyWalk<3>(stored, upright, walk);
    case 4:
        return copyWalk<4>(stored, upright, walk);
    case 6:
        return copyWalk<6>(stored, upright, walk);
    case 8:
        return copyWalk<8>(stored, upright, walk);
    case 12:
        return copyWalk<12>(stored, upright, walk);
    case 16:
        return copyWalk<16>(stored, upright, walk);
    default:
        return;
    }
}

} // namespace

Image applyOrientation(Image source, int orientation) {
    if (orientation <= 1 || orientation > 8)
        return source;
    const bool swap = orientationSwapsSides(orientation);
    Image upright(swap ? source.height() : source.width(), swap ? source.width() : source.height(), source.format());
    const ConstPixelView stored = std::as_const(source).view();
    copyWalk(stored, upright.view(), walkFor(stored, orientation));
    upright.metadata = std::move(source.metadata);
    return upright;
}

} // namespace tessera
