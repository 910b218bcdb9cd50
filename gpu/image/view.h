// Views describe memory and own nothing; kernels and planners see only views.
#pragma once

#include "gpu/image/border.h"
#include "gpu/image/gpu_code.h"
#include "gpu/image/pixel.h"

#include <cstddef>
#include <type_traits>

namespace tessera {

// width x height pixels, rows `pitch` bytes apart (any multiple of the pixel's alignment). P may be const.
template <class P> struct ImageView {
    P *data = nullptr;
    int width = 0;
    int height = 0;
    std::ptrdiff_t pitch = 0;

    GPU_CODE P *address(int x, int y) const {
        using Byte = std::conditional_t<std::is_const_v<P>, const char, char>;
        return reinterpret_cast<P *>(reinterpret_cast<Byte *>(data) + y * pitch) + x;
    }
    GPU_CODE bool contains(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height; }
};

// A picture that knows what lies outside it, so that kernel bodies hold no clamping. The unsigned comparison makes the
// interior one test; only threads at the rim take the mapping.
template <class P> struct BorderedView {
    ImageView<const P> inside;
    BorderMode mode = BorderMode::Zero;
    P outside{}; // what zero and constant borders read
};

} // namespace tessera
