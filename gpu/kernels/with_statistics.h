// A convolution whose output's statistics and histograms come out of the same launch.
//
// What a second pass wastes: it reads the whole output again. Here each thread takes the outputs it has just made from
// its registers. Blocks stay: a few for each multiprocessor take tile after tile, so that a block's totals and its
// histogram go to global memory once, not once a tile.
//
// What may be spent on an output is little, since a convolution at the memory's pace leaves some forty instructions for
// each. 8 bits: one addition to the block's counters in shared memory and nothing else, as all statistics follow from
// the counts. Float: groups of outputs at once (FusedTotals), five instructions each and no question whether they are
// numbers or clipped; what is rare is counted in shared memory, so that a thread keeps seven registers a channel. 16
// bits: totals; the histogram, where one is asked for here, by additions in global memory, which a launch of
// WideHistogram afterwards does several times faster.
#pragma once

#include "gpu/kernels/convolve.h"
#include "gpu/kernels/fused_totals.h"
#include "gpu/kernels/histogram.h"
#include "gpu/kernels/level_totals.h"

namespace tessera {

// A block's counters of 256 levels: `rows` histograms with `copies` counters a level, for lanes that count at once.
// With 32 each lane has a bank of its own (see lane_histogram.h); fewer leave shared memory to the tile.
template <int rows> struct BlockCounters {
    static constexpr int levels = 256;
    static constexpr int copies = rows == 1 ? 32 : 4;
    static constexpr int count = rows * levels * copies;

    SharedArray<unsigned> counters;

    template <class Thread> GPU_CODE void clear(const Thread &thread, int threads) const {
        for (int i = thread.index; i < count; i += threads)
            thread.store(counters, i, 0u);
    }
    template <class Thread> GPU_CODE void add(const Thread &thread, int row, unsigned level) const {
        thread.atomicAdd(counters, int((row * levels + level) * copies) + thread.lane % copies, 1u);
    }
    // `place`: row * levels + level.
    template <class Thread> GPU_CODE unsigned sum(const Thread &thread, int place) const {
        unsigned sum = 0;
        for (int i = 0; i < copies; ++i)
            sum += thread.load(counters, place * copies + (i + thread.lane) % copies);
        return sum;
    }
};

// `Kernel` is any convolution kernel. A launch of any number of blocks in one row; `tiles` is what the kernel's own
// plan would launch. `partial` as in ReduceStatistics, `counts` as in Histogram: 256 or 65,536 levels, zero before; a
// float target has totals only, and `counts` stays unused. Without data no histogram is made.
template <class Kernel> struct WithStatistics {
    using TargetPixel = typename Kernel::Target;
    using Scalar = typename TargetPixel::Scalar;
    using Reduce = ReduceStatistics<TargetPixel>;
    using Totals = typename Reduce::Totals;
    static constexpr int bins = sizeof(Scalar) == 1 ? 256 : 65536;
    static constexpr int rows = histogramRows<TargetPixel>();
    static constexpr bool fromCounts = sizeof(Scalar) == 1;
    static constexpr bool countedInGlobal = sizeof(Scalar) == 2;
    static constexpr bool rareInShared = sizeof(Scalar) == 4;
    static constexpr int channels = TargetPixel::channels;
    using Counters = BlockCounters<rows>;
    using Rare = RareCounts<channels>;
    struct FloatTotals {
        FusedTotals channel[channels];
    };
    static constexpr int maximumThreads = Reduce::maximumThreads;
    static constexpr int minimumBlocks = 1; // four channels of totals want registers before occupancy

    Kernel kernel;
    Extent tiles;
    ImageView<Totals> partial;
    ImageView<unsigned long long> counts;
    float threshold = largestValue<float>();

    // What comes on top of the kernel's own shared memory; 16 bytes for alignment between them.
    static constexpr std::size_t extraSharedBytes() {
        return (fromCounts     ? (Counters::count + rows * bins) * sizeof(unsigned)
                : rareInShared ? Reduce::sharedBytes() + Rare::count * sizeof(unsigned)
                               : Reduce::sharedBytes()) +
               16;
    }

    template <class Block> GPU_CODE void operator()(Block &block) const {
        if constexpr (fromCounts) {
            const Counters counters{block.template shared<unsigned>(Counters::count)};
            auto nothing = block.perThread(0);
            runTiles(block, nothing, counters);
            storeCounts(block, counters);
        } else if constexpr (rareInShared) {
            const Rare rare{block.template shared<unsigned>(Rare::count)};
            FloatTotals identity;
            GPU_UNROLL for (int c = 0; c < channels; ++c) { identity.channel[c] = FusedTotals::identity(); }
            auto totals = block.perThread(identity);
            runTiles(block, totals, rare);
            storeFloats(block, totals, rare);
        } else {
            auto totals = block.perThread(Reduce::identity());
            const SharedArray<unsigned> none;
            runTiles(block, totals, none);
            Reduce::storeTotals(block, totals, partial);
        }
    }

private:
    // Takes outputs, one by one or in groups, in the thread that made them.
    template <class All, class Shared> struct Gather {
        const WithStatistics &fused;
        All &totals;
        Shared shared;

        template <class Thread> GPU_CODE void operator()(const Thread &thread, const TargetPixel &pixel) const {
            const TargetPixel one[1] = {pixel};
            group(thread, one);
        }
        template <class Thread, int n> GPU_CODE void group(const Thread &thread, const TargetPixel (&pixels)[n]) const {
            if constexpr (rareInShared) {
                GPU_UNROLL for (int c = 0; c < channels; ++c) {
                    float values[n];
                    GPU_UNROLL for (int i = 0; i < n; ++i) { values[i] = pixels[i].channel[c]; }
                    totals[thread].channel[c].add(thread, values, c, shared, fused.threshold);
                }
            } else {
                if constexpr (!fromCounts)
                    Reduce::addGroup(totals[thread], pixels, fused.threshold);
                GPU_UNROLL for (int i = 0; i < n; ++i) { count(thread, pixels[i]); }
            }
        }

    private:
        template <class Thread> GPU_CODE void count(const Thread &thread, const TargetPixel &pixel) const {
            const auto add = [&](int row, unsigned level) {
                if constexpr (fromCounts)
                    shared.add(thread, row, level);
                else if (fused.counts.data)
                    thread.atomicAdd(fused.counts, int(level), row, 1ull);
            };
            GPU_UNROLL for (int c = 0; c < channels; ++c) { add(c, pixel.channel[c]); }
            if constexpr (rows > channels)
                add(channels, luminanceLevel(pixel));
        }
    };

    // The block's tiles, and a barrier after the last one.
    template <class Block, class All, class Shared>
    GPU_CODE void runTiles(Block &block, All &totals, const Shared &shared) const {
        if constexpr (fromCounts || rareInShared)
            block.phase([&](auto thread) { shared.clear(thread, block.threads()); });
        const Gather<All, Shared> gather{*this, totals, shared};
        const int mark = block.sharedUsed();
        for (int i = block.index().x; i < tiles.area(); i += block.grid().x) {
            kernel.tile(block, {i % tiles.x, i / tiles.x}, gather);
            if constexpr (requires { &Kernel::sharedBytes; }) {
                block.phase([](auto) {}); // the next tile's footprint takes the place of this one's
                block.reuseShared(mark);
            }
        }
        block.phase([](auto) {});
    }

    // The first warp's lanes take the rare values' counts into their totals.
    template <class Block, class All>
    GPU_CODE void storeFloats(Block &block, const All &totals, const Rare &rare) const {
        auto all = block.perThread(Reduce::identity());
        block.each([&](auto thread) {
            GPU_UNROLL for (int c = 0; c < channels; ++c) {
                const FusedTotals &mine = totals[thread].channel[c];
                auto &channel = all[thread].channel[c];
                channel.sum = mine.sum;
                channel.sumOfSquares = mine.sumOfSquares;
                channel.minimum = mine.minimum;
                channel.maximum = mine.maximum;
                channel.finite = mine.finite;
                if (thread.warp == 0) {
                    channel.nan = rare.of(thread, c, RareValue::Nan);
                    channel.infinite = rare.of(thread, c, RareValue::Infinite);
                    channel.clippedLow = rare.of(thread, c, RareValue::ClippedLow);
                    channel.clippedHigh = rare.of(thread, c, RareValue::ClippedHigh);
                    channel.above = rare.of(thread, c, RareValue::Above);
                }
            }
        });
        Reduce::storeTotals(block, all, partial);
    }

    template <class Block> GPU_CODE void storeCounts(Block &block, const Counters &counters) const {
        auto sums = block.template shared<unsigned>(rows * bins);
        block.phase([&](auto thread) {
            for (int i = thread.index; i < rows * bins; i += block.threads()) {
                const unsigned sum = counters.sum(thread, i);
                thread.store(sums, i, sum);
                if (sum > 0 && counts.data)
                    thread.atomicAdd(counts, i % bins, i / bins, static_cast<unsigned long long>(sum));
            }
        });
        storeLevelTotals(block, sums, partial, threshold);
    }
};

} // namespace tessera
