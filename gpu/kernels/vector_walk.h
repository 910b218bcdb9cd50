// A whole picture in 16-byte loads, a few under way in every thread, whatever its pitch and alignment.
//
// What a loop of one pixel a thread and load wastes: a load of one byte costs an instruction and a request just as one
// of sixteen, and a thread that looks at each value before it asks for the next leaves the memory idle meanwhile. Here
// a warp takes neighbouring vectors, one a lane, `depth` times, and asks for the next ones before it works on these.
// What lies before a row's first 16-byte boundary and behind its last are the row's edges, taken pixel by pixel.
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

// Warps take units in turn; those beyond the last are empty. Pictures of one row, as which those without gaps between
// their rows are passed (`oneRow`), need few instructions for it: a unit is 32 vectors, and a batch is of units that
// all warps' ones lie between. Else a unit is 32 * depth neighbouring vectors of one row, numbered row by row.
template <class P, int depth, bool oneRow> class VectorWalk {
public:
    using Vector = PixelVector<P>;

    // A lane's vectors under way.
    struct Batch {
        Vector vector[depth];
        int left = 0; // from the first one to the row's end
    };

    // `warps`: of the whole launch.
    GPU_CODE VectorWalk(const ImageView<const P> &source, int warps)
        : source_(source), warps_(warps), head_(headOf(0)), vectors_((source.width - head_) / Vector::pixels),
          unitsPerRow_(ceilDivide(source.width / Vector::pixels, oneRow ? warpSize_ : warpSize_ * depth)) {}

    GPU_CODE int units() const { return oneRow ? unitsPerRow_ : unitsPerRow_ * source_.height; }
    GPU_CODE int step() const { return oneRow ? depth * warps_ : warps_; } // from one batch's unit to the next one's
    GPU_CODE int rows() const { return source_.height; }

    template <class Thread> GPU_CODE Batch load(const Thread &thread, int unit) const {
        Batch batch;
        if (unit >= units())
            return batch;
        const int y = oneRow ? 0 : unit / unitsPerRow_;
        const int head = oneRow ? head_ : headOf(y);
        const int vectors = oneRow ? vectors_ : (source_.width - head) / Vector::pixels;
        const int first = (oneRow ? unit : (unit - y * unitsPerRow_) * depth) * warpSize_ + thread.lane;
        batch.left = vectors - first;
        GPU_UNROLL for (int i = 0; i < depth; ++i) {
            if (has(batch, i))
                batch.vector[i] =
                    thread.template loadVector<Vector>(source_, head + (first + i * stride()) * Vector::pixels, y);
        }
        return batch;
    }
    GPU_CODE bool has(const Batch &batch, int i) const { return i * stride() < batch.left; }

    // The column of the lane's pixel in row y's edges, which have at most 30; -1 where it has none.
    template <class Thread> GPU_CODE int edgeColumn(const Thread &thread, int y) const {
        const int head = headOf(y);
        const int body = (source_.width - head) / Vector::pixels * Vector::pixels;
        const int x = thread.lane < head ? thread.lane : thread.lane + body;
        return x < source_.width ? x : -1;
    }

private:
    GPU_CODE int stride() const { return oneRow ? warps_ * warpSize_ : warpSize_; } // between a batch's vectors

    // Pixels before the row's first boundary: all of them where it has none.
    GPU_CODE int headOf(int y) const {
        const auto address = reinterpret_cast<std::uintptr_t>(source_.address(0, y));
        const int head = int((0 - address) % 16 / sizeof(P));
        return head < source_.width ? head : source_.width;
    }

    ImageView<const P> source_;
    int warps_, head_, vectors_, unitsPerRow_;
};

} // namespace tessera
