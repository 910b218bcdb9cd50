// Statistics of a picture in one read: per channel the sum, sum of squares, smallest and largest value, and counts of
// NaN, infinities and values at or beyond the ends of the nominal range.
//
// Each thread walks the picture in steps of the whole grid and keeps its totals in registers; a warp then adds them up
// by shuffles, log2(32) = 5 exchanges with no barrier, the warps' results meet in shared memory, and the first warp
// adds those. Lanes that have nothing to contribute hold the identity of each operation, so that no lane ever leaves
// before a shuffle.
#pragma once

#include "gpu/kernels/block.h"

#include <bit>
#include <type_traits>

namespace tessera {

// Sums are exact integers for integer pixels (2^64 allows 4 G pixels of 16 bits squared) and double for float ones.
template <class T> struct SumType {
    using Type = unsigned long long;
};
template <> struct SumType<float> {
    using Type = double;
};

template <class T> struct ChannelTotals {
    using Sum = typename SumType<T>::Type;

    Sum sum;
    Sum sumOfSquares;
    T minimum;
    T maximum;
    unsigned long long finite, nan, infinite, clippedLow, clippedHigh;

    // The identity: adding it to anything changes nothing.
    GPU_CODE static constexpr ChannelTotals identity() {
        return {0, 0, largest(), lowest(), 0, 0, 0, 0, 0};
    }
    GPU_CODE static constexpr T largest() {
        if constexpr (std::is_same_v<T, float>)
            return std::bit_cast<float>(0x7f800000u); // +infinity
        else
            return T(~T(0));
    }
    GPU_CODE static constexpr T lowest() {
        if constexpr (std::is_same_v<T, float>)
            return std::bit_cast<float>(0xff800000u);
        else
            return T(0);
    }
    // The value that stands for white, where "clipped high" begins.
    GPU_CODE static constexpr T white() {
        if constexpr (std::is_same_v<T, float>)
            return 1.0f;
        else
            return largest();
    }

    GPU_CODE void add(T value) {
        if constexpr (std::is_same_v<T, float>) {
            const unsigned bits = std::bit_cast<unsigned>(value) & 0x7fffffffu;
            nan += bits > 0x7f800000u;
            infinite += bits == 0x7f800000u;
            clippedLow += value <= 0.0f;
            clippedHigh += value >= white();
            if (bits >= 0x7f800000u)
                return;
        } else {
            clippedLow += value == 0;
            clippedHigh += value == white();
        }
        ++finite;
        sum += Sum(value);
        sumOfSquares += Sum(value) * Sum(value);
        minimum = value < minimum ? value : minimum;
        maximum = value > maximum ? value : maximum;
    }
};

// Combines `value` over each warp with shuffle-down; lane 0 of every warp ends with the total. `Block` and the value's
// type decide how a lane reads another: offsets 16, 8, 4, 2, 1.
template <class Block, class Value, class Combine>
GPU_CODE inline void warpReduce(Block &block, Value &value, Combine combine) {
    for (int offset = warpSize_ / 2; offset > 0; offset /= 2) {
        const auto other = block.shuffleDown(value, offset);
        block.each([&](auto thread) { value[thread] = combine(value[thread], other[thread]); });
    }
}

// The whole block's total, in thread 0: warps by shuffles, their results through shared memory, the first warp again
// by shuffles. At most 32 warps. `scratch` holds one value a warp.
template <class Block, class Value, class T, class Combine>
GPU_CODE inline void blockReduce(Block &block, Value &value, SharedArray<T> scratch, T identity, Combine combine) {
    warpReduce(block, value, combine);
    block.phase([&](auto thread) {
        if (thread.lane == 0)
            thread.store(scratch, thread.warp, value[thread]);
    });
    const int warps = ceilDivide(block.threads(), warpSize_);
    block.phase([&](auto thread) {
        if (thread.warp == 0)
            value[thread] = thread.lane < warps ? thread.load(scratch, thread.lane) : identity;
    });
    warpReduce(block, value, combine);
}

struct Add {
    template <class T> GPU_CODE T operator()(T a, T b) const { return a + b; }
};
struct Minimum {
    template <class T> GPU_CODE T operator()(T a, T b) const { return b < a ? b : a; }
};
struct Maximum {
    template <class T> GPU_CODE T operator()(T a, T b) const { return b > a ? b : a; }
};

// One ChannelTotals a channel and block; the host adds the blocks' (a few hundred). Blocks take whole rows in turn, so
// that any pitch will do. `partial` is channels wide and as high as the grid is long.
template <class P> struct ReduceStatistics {
    using Scalar = typename P::Scalar;
    using Totals = ChannelTotals<Scalar>;
    using Sum = typename Totals::Sum;
    using Wide = std::conditional_t<std::is_same_v<Scalar, float>, float, unsigned>; // what shuffles carry

    ImageView<const P> source;
    ImageView<Totals> partial;

    // Blocks are one row of threads: a whole number of warps, at most 1024 threads.
    static constexpr std::size_t sharedBytes() { return warpSize_ * (2 * sizeof(Sum) + sizeof(Wide)); }

    template <class Block> GPU_CODE void operator()(Block &block) const {
        PixelTotals identity;
        for (int c = 0; c < P::channels; ++c)
            identity.channel[c] = Totals::identity();
        auto totals = block.perThread(identity);

        block.each([&](auto thread) {
            PixelTotals &mine = totals[thread];
            for (int y = block.index().x; y < source.height; y += block.grid().x)
                for (int x = thread.index; x < source.width; x += block.threads()) {
                    const P pixel = thread.load(source, x, y);
                    for (int c = 0; c < P::channels; ++c)
                        mine.channel[c].add(pixel.channel[c]);
                }
        });

        const Scratch scratch{block.template shared<Sum>(warpSize_), block.template shared<unsigned long long>(warpSize_),
                              block.template shared<Wide>(warpSize_)};
        for (int c = 0; c < P::channels; ++c) {
            reduceField(block, totals, c, &Totals::sum, scratch.sum, Sum(0), Add{});
            reduceField(block, totals, c, &Totals::sumOfSquares, scratch.sum, Sum(0), Add{});
            reduceField(block, totals, c, &Totals::minimum, scratch.extreme, Wide(Totals::largest()), Minimum{});
            reduceField(block, totals, c, &Totals::maximum, scratch.extreme, Wide(Totals::lowest()), Maximum{});
            reduceField(block, totals, c, &Totals::finite, scratch.count, 0ull, Add{});
            reduceField(block, totals, c, &Totals::nan, scratch.count, 0ull, Add{});
            reduceField(block, totals, c, &Totals::infinite, scratch.count, 0ull, Add{});
            reduceField(block, totals, c, &Totals::clippedLow, scratch.count, 0ull, Add{});
            reduceField(block, totals, c, &Totals::clippedHigh, scratch.count, 0ull, Add{});
        }
        block.each([&](auto thread) {
            if (thread.index == 0)
                for (int c = 0; c < P::channels; ++c)
                    thread.store(partial, c, block.index().x, totals[thread].channel[c]);
        });
    }

private:
    struct PixelTotals {
        Totals channel[P::channels];
    };
    struct Scratch {
        SharedArray<Sum> sum;
        SharedArray<unsigned long long> count;
        SharedArray<Wide> extreme;
    };

    template <class Block, class All, class Field, class T, class Combine>
    GPU_CODE static void reduceField(Block &block, All &totals, int c, Field Totals::*field, SharedArray<T> scratch,
                                     T identity, Combine combine) {
        auto value = block.perThread(identity);
        block.each([&](auto thread) { value[thread] = T(totals[thread].channel[c].*field); });
        blockReduce(block, value, scratch, identity, combine);
        block.each([&](auto thread) {
            if (thread.index == 0)
                totals[thread].channel[c].*field = Field(value[thread]);
        });
    }
};

} // namespace tessera
