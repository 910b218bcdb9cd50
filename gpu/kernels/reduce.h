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
#include "gpu/kernels/channel_totals.h"
#include "gpu/kernels/vector_walk.h"

#include <type_traits>
#include <utility>

namespace tessera {

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

// The totals of a warp's lanes, added up in its first lane. `totalsOf(value[thread])` is a ChannelTotals. All fields
// take each step together: an exchange lasts some twenty clocks, and the next field's need not wait for it.
template <class Totals, class Block, class Value, class Of>
GPU_CODE inline void warpReduceTotals(Block &block, Value &value, Of totalsOf) {
    for (int offset = warpSize_ / 2; offset > 0; offset /= 2) {
        auto other = block.perThread(Totals::identity());
        const auto exchange = [&](auto field) {
            using Field = std::remove_reference_t<decltype(std::declval<Totals &>().*field)>;
            using Wide = std::conditional_t<(sizeof(Field) < 4), unsigned, Field>; // what shuffles carry
            auto one = block.perThread(Wide{});
            block.each([&](auto thread) { one[thread] = Wide(totalsOf(value[thread]).*field); });
            const auto moved = block.shuffleDown(one, offset);
            block.each([&](auto thread) { other[thread].*field = Field(moved[thread]); });
        };
        exchange(&Totals::sum);
        exchange(&Totals::sumOfSquares);
        exchange(&Totals::minimum);
        exchange(&Totals::maximum);
        exchange(&Totals::finite);
        exchange(&Totals::clippedLow);
        exchange(&Totals::clippedHigh);
        exchange(&Totals::above);
        if constexpr (std::is_same_v<typename Totals::Value, float>) {
            exchange(&Totals::nan);
            exchange(&Totals::infinite);
        }
        block.each([&](auto thread) { totalsOf(value[thread]).merge(other[thread]); });
    }
}

// One ChannelTotals a channel and block; the host adds the blocks' (a few hundred). Blocks take whole rows in turn, so
// that any pitch will do. `partial` is channels wide and as high as the grid is long. Without `voting` no threshold is
// looked at, and `above` is 0: the votes' code costs the others registers.
template <class P, bool voting = true, bool oneRow = false> struct ReduceStatistics {
    using Scalar = typename P::Scalar;
    using Totals = ChannelTotals<Scalar>;

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
    // As many as leave each thread the registers that it needs; statisticsBlocks() agrees.
    static constexpr int minimumBlocks = P::channels == 1 || sizeof(Scalar) == 4 ? 3 : 2;
    static constexpr std::size_t sharedBytes() { return maximumThreads / warpSize_ * P::channels * sizeof(Totals); }

    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto totals = block.perThread(identity());
        addVectors(block, totals);
        addEdges(block, totals);
        storeTotals(block, totals, partial);
    }

    GPU_CODE static PixelTotals identity() {
        PixelTotals all;
        GPU_UNROLL for (int c = 0; c < P::channels; ++c) { all.channel[c] = ThreadTotals::identity(); }
        return all;
    }

    // Adds pixels to a thread's totals; `above` as well, unless nothing can be.
    template <int n> GPU_CODE static void addGroup(PixelTotals &totals, const P (&pixels)[n], float threshold) {
        GPU_UNROLL for (int c = 0; c < P::channels; ++c) {
            Scalar values[n];
            GPU_UNROLL for (int i = 0; i < n; ++i) { values[i] = pixels[i].channel[c]; }
            totals.channel[c].addAll(values);
            if (threshold < largestValue<float>()) {
                GPU_UNROLL for (int i = 0; i < n; ++i) { totals.channel[c].above += float(values[i]) > threshold; }
            }
        }
    }

    // Adds the block's threads' totals and stores them in row `block.index().x` of `partial`. A block of one row. All
    // fields cross one barrier together.
    template <class Block, class All>
    GPU_CODE static void storeTotals(Block &block, All &totals, const ImageView<Totals> &partial) {
        const int warps = block.threads() / warpSize_;
        const auto scratch = block.template shared<Totals>(warps * P::channels);
        GPU_UNROLL for (int c = 0; c < P::channels; ++c) {
            warpReduceTotals<ThreadTotals>(block, totals,
                                           [c](PixelTotals &all) -> ThreadTotals & { return all.channel[c]; });
        }
        block.phase([&](auto thread) {
            GPU_UNROLL for (int c = 0; c < P::channels; ++c) {
                if (thread.lane == 0)
                    thread.store(scratch, thread.warp * P::channels + c,
                                 totals[thread].channel[c].template withCounts<Count>());
            }
        });
        for (int first = 0; first < P::channels; first += warps) { // a warp a channel
            auto result = block.perThread(Totals::identity());
            block.each([&](auto thread) {
                if (first + thread.warp < P::channels && thread.lane < warps)
                    result[thread] = thread.load(scratch, thread.lane * P::channels + first + thread.warp);
            });
            warpReduceTotals<Totals>(block, result, [](Totals &all) -> Totals & { return all; });
            block.each([&](auto thread) {
                if (first + thread.warp < P::channels && thread.lane == 0)
                    thread.store(partial, first + thread.warp, block.index().x, result[thread]);
            });
        }
    }

private:
    using Vector = PixelVector<P>;
    static constexpr int depth = Vector::pixels == 1 ? 2 : 4; // vectors under way in a thread
    using Walk = VectorWalk<P, depth, oneRow>;

    // What comes in whole vectors. All warps of a block go round equally often, so that every lane can vote.
    template <class Block, class All> GPU_CODE void addVectors(Block &block, All &totals) const {
        const int warps = block.threads() / warpSize_;
        const Walk walk(source, block.grid().x * warps);
        auto batch = block.perThread(typename Walk::Batch{});
        auto now = batch;
        int unit = block.index().x * warps;
        block.each([&](auto thread) { batch[thread] = walk.load(thread, unit + thread.warp); });
        for (; unit < walk.units(); unit += walk.step()) {
            block.each([&](auto thread) {
                now[thread] = batch[thread];
                batch[thread] = walk.load(thread, unit + walk.step() + thread.warp);
                GPU_UNROLL for (int i = 0; i < depth; ++i) {
                    if (walk.has(now[thread], i))
                        addVector(totals[thread], now[thread].vector[i]);
                }
            });
            if constexpr (voting)
                voteOnVectors(block, totals, walk, now);
        }
    }

    template <class Block, class All, class Batches>
    GPU_CODE void voteOnVectors(Block &block, All &totals, const Walk &walk, const Batches &batch) const {
        GPU_UNROLL for (int i = 0; i < depth * Vector::pixels; ++i) {
            GPU_UNROLL for (int c = 0; c < P::channels; ++c) {
                countAbove(block, totals, c, [&](auto thread) {
                    return walk.has(batch[thread], i / Vector::pixels) &&
                           isAbove(batch[thread].vector[i / Vector::pixels].value(i % Vector::pixels, c));
                });
            }
        }
    }

    template <class Block, class All> GPU_CODE void addEdges(Block &block, All &totals) const {
        const int warps = block.threads() / warpSize_;
        const Walk walk(source, block.grid().x * warps);
        auto pixel = block.perThread(P{});
        auto inside = block.perThread(false);
        for (int y = block.index().x * warps; y < walk.rows(); y += block.grid().x * warps) {
            block.each([&](auto thread) {
                const int x = y + thread.warp < walk.rows() ? walk.edgeColumn(thread, y + thread.warp) : -1;
                inside[thread] = x >= 0;
                if (x < 0)
                    return;
                pixel[thread] = thread.load(source, x, y + thread.warp);
                for (int c = 0; c < P::channels; ++c)
                    totals[thread].channel[c].add(pixel[thread].channel[c]);
            });
            for (int c = 0; voting && c < P::channels; ++c)
                countAbove(block, totals, c,
                           [&](auto thread) { return inside[thread] && isAbove(pixel[thread].channel[c]); });
        }
    }

    GPU_CODE static void addVector(PixelTotals &totals, const Vector &vector) {
        GPU_UNROLL for (int c = 0; c < P::channels; ++c) {
            Scalar values[Vector::pixels];
            GPU_UNROLL for (int i = 0; i < Vector::pixels; ++i) { values[i] = vector.value(i, c); }
            totals.channel[c].addAll(values);
        }
    }

    GPU_CODE bool isAbove(Scalar value) const { return float(value) > threshold; }

    // One vote of every warp.
    template <class Block, class All, class Question>
    GPU_CODE static void countAbove(Block &block, All &totals, int c, Question question) {
        auto above = block.perThread(false);
        block.each([&](auto thread) { above[thread] = question(thread); });
        const auto votes = block.ballot(above);
        block.each([&](auto thread) {
            if (thread.lane == 0)
                totals[thread].channel[c].above += unsigned(countBits(votes[thread]));
        });
    }
};

} // namespace tessera
