// Four neighbouring pixels in as few accesses as the hardware allows: at most 16 bytes each, and only where the row and
// the column are aligned. Everywhere else - tails, unaligned rows, the picture's rim - pixel by pixel.
#pragma once

#include "gpu/kernels/block.h"

#include <cstdint>

namespace tessera {

inline constexpr int pixelsPerGroup = 4;

// What one access moves: 1, 2 or 4 pixels, 16 bytes at most.
template <class P> struct alignas(sizeof(P) * (sizeof(P) <= 4 ? 4 : sizeof(P) == 8 ? 2 : 1)) PixelPiece {
    static constexpr int pixels = sizeof(P) <= 4 ? 4 : sizeof(P) == 8 ? 2 : 1;
    static constexpr int perGroup = pixelsPerGroup / pixels;

    P pixel[pixels];
};

// Whether groups that start at multiples of four columns are aligned in every row.
template <class P> GPU_CODE inline bool groupsAligned(const ImageView<P> &view) {
    constexpr std::uintptr_t alignment = alignof(PixelPiece<std::remove_const_t<P>>);
    return (reinterpret_cast<std::uintptr_t>(view.data) | static_cast<std::uintptr_t>(view.pitch)) % alignment == 0;
}

// group[i] = the pixel at (x + i, y); x is a multiple of four, possibly outside. `aligned`: groupsAligned() of the
// view.
template <class Thread, class P>
GPU_CODE inline void loadGroup(const Thread &thread, const BorderedView<P> &view, bool aligned, int x, int y,
                               P (&group)[pixelsPerGroup]) {
    using Piece = PixelPiece<P>;
    thread.step();
    if (aligned && x >= 0 && x + pixelsPerGroup <= view.inside.width &&
        static_cast<unsigned>(y) < static_cast<unsigned>(view.inside.height)) {
        for (int i = 0; i < Piece::perGroup; ++i) {
            const Piece piece = thread.template loadVector<Piece>(view.inside, x + i * Piece::pixels, y);
            for (int j = 0; j < Piece::pixels; ++j)
                group[i * Piece::pixels + j] = piece.pixel[j];
        }
    } else {
        for (int i = 0; i < pixelsPerGroup; ++i)
            group[i] = thread.load(view, x + i, y);
    }
}

// Stores as many of the group's pixels as the view has columns for.
template <class Thread, class P>
GPU_CODE inline void storeGroup(const Thread &thread, const ImageView<P> &view, int x, int y,
                                const P (&group)[pixelsPerGroup]) {
    using Piece = PixelPiece<P>;
    if (groupsAligned(view) && x + pixelsPerGroup <= view.width) {
        for (int i = 0; i < Piece::perGroup; ++i) {
            Piece piece;
            for (int j = 0; j < Piece::pixels; ++j)
                piece.pixel[j] = group[i * Piece::pixels + j];
            thread.storeVector(view, x + i * Piece::pixels, y, piece);
        }
    } else {
        for (int i = 0; i < pixelsPerGroup && x + i < view.width; ++i)
            thread.store(view, x + i, y, group[i]);
    }
}

// Whole multiples of four below a possibly negative number: floor, not towards zero.
GPU_CODE constexpr int alignDown(int value) { return value & ~(pixelsPerGroup - 1); }

} // namespace tessera
