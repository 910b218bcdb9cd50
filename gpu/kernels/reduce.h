// Statistics of a picture in one read: per channel the sum, sum of squares, smallest and largest value, and counts of
// NaN, infinities, values at or beyond the ends of the nominal range and values above a threshold.
//
// Each thread walks the picture in steps of the whole grid and keeps its totals in registers; a warp then adds them up
// by shuffles, log2(32) = 5 exchanges with no barrier, the warps' results meet in shared memory, and the first warp
// adds those. Lanes that have nothing to contribute hold the identity of each operation, so that no lane ever leaves
// before a shuffle. Values above the threshold are counted by ballot: one vote gathers a warp's 32 comparisons in one
// word, whose set bits its first lane counts, and 31 lanes keep no counter.
#pragma once

#include "gpu/kernels/bits.h"
#include "gpu/kernels/block.h"
#include "gpu/kernels/fold.h"

#include <bit>
#include <type_traits>

namespace tessera {

// Sums are exact integers for integer pixels (2^64 allows 4 G pixels of 16 bits squared) and double for float ones.
template <class T> struct SumType { using Type = unsigned long long; };
template <> struct SumType<float> { using Type = double; };

// The totals of one channel of T: std::uint8_t, std::uint16_t or float. In a thread's registers counts take 32 bits, as
// no thread sees 2^32 pixels and four channels of 64-bit ones would spill. `above` is no business of add(): whoever
// counts it compares with a threshold of its own.
template <class T, class Count = unsigned long long> struct ChannelTotals {
    using Sum = typename SumType<T>::Type;

    Sum sum;
    Sum sumOfSquares;
    T minimum;
    T maximum;
    Count finite, nan, infinite, clippedLow, clippedHigh, above;

    // The identity: adding it to anything changes nothing.
    GPU_CODE static constexpr ChannelTotals identity() { return {0, 0, largest(), lowest(), 0, 0, 0, 0, 0, 0}; }
    GPU_CODE static constexpr T largest() { return largestValue<T>(); }
    GPU_CODE static constexpr T lowest() { return lowestValue<T>(); }
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
    // Joins the totals of two parts of a picture.
    GPU_CODE void merge(const ChannelTotals &other) {
        sum += other.sum;
        sumOfSquares += other.sumOfSquares;
        minimum = other.minimum < minimum ? other.minimum : minimum;
        maximum = other.maximum > maximum ? other.maximum : maximum;
        finite += other.finite;
        nan += other.nan;
        infinite += other.infinite;
        clippedLow += other.clippedLow;
        clippedHigh += other.clippedHigh;
        above += other.above;
    }
};

// Combines `value` over each warp with shuffle-down; lane 0 of every warp ends with the total. `Block` and the value's
// type decide how a lane reads another: offsets 16, 8, 4, 2, 1. With fewer `lanes`, a power of two, the first so many
// lanes of a warp are combined.
template <class Block, class Value, class Combine>
GPU_CODE inline void warpReduce(Block &block, Value &value, Combine combine, int lanes = warpSize_) {
    for (int offset = lanes / 2; offset > 0; offset /= 2) {
        const auto other = block.shuffleDown(value, offset);
        block.each([&](auto thread) { value[thread] = combine(value[thread], other[thread]); });
    }
}

// The whole block's total, in thread 0: warps by shuffles, their results through shared memory, the first warp again
// by shuffles. Whole warps, at most 32. `scratch` holds one value a warp.
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

// One ChannelTotals a channel and block; the host adds the blocks' (a few hundred). Blocks take whole rows in turn, so
// that any pitch will do. `partial` is channels wide and as high as the grid is long.
template <class P> struct ReduceStatistics {
    using Scalar = typename P::Scalar;
    using Totals = ChannelTotals<Scalar>;
    using Sum = typename Totals::Sum;
    using Wide = std::conditional_t<std::is_same_v<Scalar, float>, float, unsigned>; // what shuffles carry
    using Count = unsigned long long;

    using ThreadTotals = ChannelTotals<Scalar, unsigned>;

    // What a thread keeps of all channels. `above` counts in a warp's first lane, for all its lanes.
    struct PixelTotals {
        ThreadTotals channel[P::channels];
    };

    ImageView<const P> source;
    ImageView<Totals> partial;
    float threshold = largestValue<float>(); // `above` counts greater values, infinity included

    // Blocks are one row of threads: a whole number of warps. Four channels of totals take over 64 registers.
    static constexpr int maximumThreads = 256;
    static constexpr std::size_t sharedBytes() { return warpSize_ * (sizeof(Sum) + sizeof(Count) + sizeof(Wide)); }

    template <class Block> GPU_CODE void operator()(Block &block) const {
        PixelTotals identity;
        for (ThreadTotals &channel : identity.channel)
            channel = ThreadTotals::identity();
        auto totals = block.perThread(identity);
        for (int y = block.index().x; y < source.height; y += block.grid().x)
            for (int left = 0; left < source.width; left += batch * block.threads())
                addBatch(block, totals, left, y);
        storeTotals(block, totals, partial);
    }

    // Adds the block's threads' totals and stores them in row `block.index().x` of `partial`. A block of one row.
    template <class Block, class All>
    GPU_CODE static void storeTotals(Block &block, All &totals, const ImageView<Totals> &partial) {
        const Scratch scratch{block.template shared<Sum>(warpSize_), block.template shared<Count>(warpSize_),
                              block.template shared<Wide>(warpSize_)};
        GPU_UNROLL for (int c = 0; c < P::channels; ++c) {
            using Field = ThreadTotals;
            auto result = block.perThread(Totals::identity());
            const auto reduce = [&](auto field, auto target, auto shared, auto combine) {
                reduceField(block, totals, result, c, field, target, shared, combine);
            };
            reduce(&Field::sum, &Totals::sum, scratch.sum, Add{});
            reduce(&Field::sumOfSquares, &Totals::sumOfSquares, scratch.sum, Add{});
            reduce(&Field::minimum, &Totals::minimum, scratch.extreme, Minimum{});
            reduce(&Field::maximum, &Totals::maximum, scratch.extreme, Maximum{});
            reduce(&Field::finite, &Totals::finite, scratch.count, Add{});
            reduce(&Field::clippedLow, &Totals::clippedLow, scratch.count, Add{});
            reduce(&Field::clippedHigh, &Totals::clippedHigh, scratch.count, Add{});
            reduce(&Field::above, &Totals::above, scratch.count, Add{});
            if constexpr (std::is_same_v<Scalar, float>) {
                reduce(&Field::nan, &Totals::nan, scratch.count, Add{});
                reduce(&Field::infinite, &Totals::infinite, scratch.count, Add{});
            }
            block.each([&](auto thread) {
                if (thread.index == 0)
                    thread.store(partial, c, block.index().x, result[thread]);
            });
        }
    }

private:
    // Pixels that a thread loads before it looks at the first: loads under way hide each other's latency.
    static constexpr int batch = sizeof(P) >= 16 ? 2 : 4;

    struct Scratch {
        SharedArray<Sum> sum;
        SharedArray<Count> count;
        SharedArray<Wide> extreme;
    };
    struct Batch {
        P pixel[batch];
    };

    // The threads' next `batch` pixels of row y from column `left` on, neighbouring threads' side by side. Every lane
    // votes, also beyond the row's end.
    template <class Block, class All> GPU_CODE void addBatch(Block &block, All &totals, int left, int y) const {
        auto loaded = block.perThread(Batch{});
        block.each([&](auto thread) {
            for (int i = 0; i < batch; ++i) {
                const int x = left + i * block.threads() + thread.index;
                if (x < source.width)
                    loaded[thread].pixel[i] = thread.load(source, x, y);
            }
        });
        for (int i = 0; i < batch; ++i)
            for (int c = 0; c < P::channels; ++c) {
                auto above = block.perThread(false);
                block.each([&](auto thread) {
                    if (left + i * block.threads() + thread.index >= source.width)
                        return;
                    const Scalar value = loaded[thread].pixel[i].channel[c];
                    totals[thread].channel[c].add(value);
                    above[thread] = float(value) > threshold;
                });
                const auto votes = block.ballot(above);
                block.each([&](auto thread) {
                    if (thread.lane == 0)
                        totals[thread].channel[c].above += unsigned(countBits(votes[thread]));
                });
            }
    }

    template <class Block, class All, class Result, class From, class To, class T, class Combine>
    GPU_CODE static void reduceField(Block &block, All &totals, Result &result, int c, From ThreadTotals::*field,
                                     To Totals::*target, SharedArray<T> scratch, Combine combine) {
        const T identity = Combine::template identity<T>();
        auto value = block.perThread(identity);
        block.each([&](auto thread) { value[thread] = T(totals[thread].channel[c].*field); });
        blockReduce(block, value, scratch, identity, combine);
        block.each([&](auto thread) {
            if (thread.index == 0)
                result[thread].*target = To(value[thread]);
        });
    }
};

} // namespace tessera
