// The part of a row of floats that 128-bit accesses may take: they need addresses that are multiples of 16 bytes.
#pragma once

#include "gpu/image/pixel.h"
#include "gpu/image/view.h"

#include <cstdint>
#include <type_traits>

namespace tessera {

// How many elements lie before the first 16-byte boundary: 0 to 3.
template <class T> GPU_CODE inline int unalignedHead(const T *data) {
    static_assert(sizeof(T) == 4);
    return int((0 - reinterpret_cast<std::uintptr_t>(data)) / sizeof(T) % 4);
}

// A row cut in three: `head` elements before the boundary, vectors of four, and what is left behind them. Head and tail
// together are the loose elements, at most six.
template <class T> struct AlignedPart {
    using Vector = std::conditional_t<std::is_const_v<T>, const Pixel<float, 4>, Pixel<float, 4>>;

    int head;
    ImageView<Vector> vectors; // one row
    int tail;

    GPU_CODE explicit AlignedPart(const ImageView<T> &row) : AlignedPart(row, unalignedHead(row.data)) {}
    // With a head that is known: that of all arrays that are walked together.
    GPU_CODE AlignedPart(const ImageView<T> &row, int before) {
        head = before < row.width ? before : row.width;
        vectors = {reinterpret_cast<Vector *>(row.data + head), (row.width - head) / 4, 1, 0};
        tail = row.width - head - 4 * vectors.width;
    }

    GPU_CODE int loose() const { return head + tail; }
    GPU_CODE int looseElement(int i) const { return i < head ? i : i + 4 * vectors.width; }
};

} // namespace tessera
