// A whole picture in 16-byte loads, a few under way in every thread, whatever its pitch and alignment.
//
// What a loop of one pixel a thread and load wastes: a load of one byte costs an instruction and a request just as one
// of sixteen, and a thread that looks at each value before it asks for the next leaves the memory idle meanwhile. Here
// a warp takes a unit of neighbouring vectors, `depth` in each lane, and asks for its next unit before it works on this
// one. What lies before a row's first 16-byte boundary and behind its last are the row's edges, taken pixel by pixel.
#pragma once

#include "gpu/kernels/block.h"

#include <bit>
#include <cstdint>

namespace tessera {

// Kept as the words that were loaded: an array of bytes would take a register for each.
template <class P> struct alignas(16) PixelVector {
    using Scalar = typename P::Scalar;
    static constexpr int pixels = int(16 / sizeof(P));

    unsigned word[4];

    // With indices that are known when it is compiled.
    GPU_CODE Scalar value(int pixel, int channel) const {
        const int byte = (pixel * P::channels + channel) * int(sizeof(Scalar));
        if constexpr (sizeof(Scalar) == 4)
            return std::bit_cast<Scalar>(word[byte / 4]);
        else
            return Scalar(word[byte / 4] >> byte % 4 * 8);
    }
    GPU_CODE P pixel(int i) const {
        P pixel;
        GPU_UNROLL for (int c = 0; c < P::channels; ++c) { pixel.channel[c] = value(i, c); }
        return pixel;
    }
};

// Units are numbered row by row; warps take them in turn. A unit beyond the last one is empty.
template <class P, int depth> class VectorWalk {
public:
    using Vector = PixelVector<P>;

    // One lane's share of a unit: vector[i] is there where i * 32 < left.
    struct Batch {
        Vector vector[depth];
        int left = 0;
    };

    GPU_CODE explicit VectorWalk(const ImageView<const P> &source)
        : source_(source), unitsPerRow_(ceilDivide(source.width / Vector::pixels, unitVectors)) {}

    GPU_CODE int units() const { return unitsPerRow_ * source_.height; }
    GPU_CODE int rows() const { return source_.height; }

    template <class Thread> GPU_CODE Batch load(const Thread &thread, int unit) const {
        Batch batch;
        if (unit >= units())
            return batch;
        const int y = unitsPerRow_ == units() ? 0 : unit / unitsPerRow_; // contiguous pictures come as one row
        const int first = (unit - y * unitsPerRow_) * unitVectors + thread.lane;
        const int head = headOf(y);
        batch.left = (source_.width - head) / Vector::pixels - first;
        const int x = head + first * Vector::pixels;
        GPU_UNROLL for (int i = 0; i < depth; ++i) {
            const int column = x + i * warpSize_ * Vector::pixels;
            if (i * warpSize_ < batch.left)
                batch.vector[i] = thread.template loadVector<Vector>(source_, column, y);
        }
        return batch;
    }

    // The column of the lane's pixel in row y's edges, which have at most 30; -1 where it has none.
    template <class Thread> GPU_CODE int edgeColumn(const Thread &thread, int y) const {
        const int head = headOf(y);
        const int body = (source_.width - head) / Vector::pixels * Vector::pixels;
        const int x = thread.lane < head ? thread.lane : thread.lane + body;
        return x < source_.width ? x : -1;
    }

private:
    static constexpr int unitVectors = depth * warpSize_;

    // Pixels before the row's first boundary: all of them where it has none.
    GPU_CODE int headOf(int y) const {
        const auto address = reinterpret_cast<std::uintptr_t>(source_.address(0, y));
        const int head = int((0 - address) % 16 / sizeof(P));
        return head < source_.width ? head : source_.width;
    }

    ImageView<const P> source_;
    int unitsPerRow_;
};

} // namespace tessera
