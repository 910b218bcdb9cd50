// Shapes, layout and operands of level_tile.h, for the host as well.
#pragma once

#include "gpu/kernels/warp_box.h"

namespace tessera {

struct LevelShape {
    int channels;
    int pairs;  // of rows in a window: kernels of 2 * pairs - 1 rows and columns
    int tiles;  // of 128 columns side by side
    int turns;  // a part has 2 * pairs * turns rows, after which windows lie in the same registers again
    int parts;  // of a warp's outputs, in a loop
    int warps;  // of a block
    int blocks; // on a multiprocessor

    GPU_CODE constexpr int side() const { return 2 * pairs - 1; }
    GPU_CODE constexpr int rows() const { return 2 * pairs * turns; } // of a part
    GPU_CODE constexpr int outputRows() const { return parts * rows(); }
    GPU_CODE constexpr int boxRows() const { return outputRows() + side() - 1; }
    GPU_CODE constexpr int columns() const { return 128 * tiles; }
};

inline constexpr int levelDigits = 3;
inline constexpr int largestLevelSide = 7;
inline constexpr int levelTapWords = 3; // of a digit's row of taps: up to 9 signed bytes, and zeros

// Where things lie in a block's shared memory: the warps' boxes, barriers, taps.
struct LevelLayout {
    int barriers, taps;
    int paddedWords; // of the taps with zeros around, from which lanes cut their part of a band
    int sharedBytes;

    GPU_CODE static constexpr LevelLayout of(const LevelShape &shape) {
        LevelLayout layout{};
        layout.barriers = shape.warps * BoxLayout::of(shape.columns(), shape.boxRows(), shape.channels).bytes;
        layout.taps = layout.barriers + shape.warps * 8;
        layout.paddedWords = levelDigits * shape.side() * 8 + 8;
        layout.sharedBytes = layout.taps + 4 * layout.paddedWords;
        return layout;
    }
};

// What becomes of a sum of products. Where it is `plain`, no more than rounding. Else before that: divided, with the
// nearest float to 1 / divisor; offset; its sign masked; `bias`, in units of 2^-149, added.
struct LevelFinish {
    float scale[levelDigits] = {};
    float base = 0.0f;
    bool plain = true;
    float divisor = 1.0f, reciprocal = 1.0f, offset = 0.0f;
    std::uint32_t mask = ~0u;
    float bias = 0.0f;
};

template <class P> struct LevelOperands {
    BorderedView<P> source;
    ImageView<P> target;
    int originX = 0;
    int originY = 0;
    LevelFinish finish;
    std::uint32_t taps[levelDigits * largestLevelSide * levelTapWords] = {};
};

} // namespace tessera
