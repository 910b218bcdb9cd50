// Exact histograms of 8-bit pictures with a counter of its own for every level and lane.
//
// What histogram.h wastes: the lanes of a warp count in one histogram, and where two of them meet at a bank the
// increments queue: at random 3.5 deep on average. Its one-byte loads cost as many instructions as its counting does.
// Here lane l counts in bank l: a level has a row of counters, lane after lane, so that the 32 increments of a warp
// fall on 32 banks whatever the picture holds, and take one pass, always. A row of 256 bytes makes the address one
// instruction: the level's byte is the address's second byte (PRMT), and the second half of the row serves the other
// half of the warps, or the next channel.
// So a pixel costs two instructions and one pass of shared memory in 32 lanes, and 8192x8192 pixels half of the time
// that reading them takes. Pixels come sixteen bytes a load (vector_walk.h).
//
// Where totals are wanted as well, each block derives them from its counts: no pixel is added up.
#pragma once

#include "gpu/kernels/bits.h"
#include "gpu/kernels/histogram.h"
#include "gpu/kernels/level_totals.h"
#include "gpu/kernels/vector_walk.h"

namespace tessera {

// The counters of all lanes: `rows` histograms. 64 KB hold two of them; the last of an odd number takes 32 KB more, and
// a single one 64 KB, a set for every other warp.
template <int rows> struct LaneCounters {
    static constexpr int levels = 256;
    static constexpr bool pairOfSets = rows == 1;
    static constexpr int pairs = pairOfSets ? 1 : rows / 2;
    static constexpr int rowSlots = 2 * warpSize_; // of a pair
    static constexpr int slots = levels * (pairs * rowSlots + (rows % 2 && !pairOfSets ? warpSize_ : 0));

    SharedArray<unsigned> counters;

    static constexpr std::size_t sharedBytes() { return slots * sizeof(unsigned); }

    // Where the lane's counter of level 0 in row 0 lies.
    template <class Thread> GPU_CODE static unsigned base(const Thread &thread) {
        return 4u * unsigned(thread.lane + (pairOfSets ? thread.warp % 2 * warpSize_ : 0));
    }
    // Counts the level in byte `place` of `word` in a row that is one of a pair.
    template <class Thread>
    GPU_CODE void count(const Thread &thread, unsigned base, int row, unsigned word, int place) const {
        const unsigned constant = unsigned(row / 2 * levels * rowSlots + row % 2 * warpSize_) * 4u;
        thread.atomicAdd(counters, ByteOffset{byteIntoSecond(word, place, base) + constant}, 1u);
    }
    // The same in the last of an odd number of rows.
    template <class Thread> GPU_CODE void countLast(const Thread &thread, unsigned base, unsigned level) const {
        constexpr unsigned constant = pairs * levels * rowSlots * 4u;
        thread.atomicAdd(counters, ByteOffset{level * warpSize_ * 4u + base + constant}, 1u);
    }

    template <class Thread> GPU_CODE void clear(const Thread &thread, int threads) const {
        const auto all = quads();
        for (int i = thread.index; i < all.count; i += threads)
            thread.store(all, i, Quad{});
    }

    // take(thread, row, level, sum) in some thread for every row and level. Four threads share a level, a quarter of
    // its counters in each of them, sixteen bytes a load; they begin where the bank before them does not.
    template <class Block, class Take> GPU_CODE void forEachSum(Block &block, Take take) const {
        const auto all = quads();
        constexpr int groups = (rows + 1) / 2;
        for (int group = 0; group < groups; ++group) {
            const int strips = pairOfSets || 2 * group + 1 < rows ? 2 : 1; // of one lane after another, in a level
            for (int start = 0; start < 4 * levels; start += block.threads()) {
                auto first = block.perThread(0u);
                auto second = first;
                block.each([&](auto thread) {
                    const int level = (start + thread.index) / 4;
                    if (level >= levels)
                        return;
                    const int row = (group * 2 * levels + level * strips) * (warpSize_ / 4) + thread.index % 4;
                    for (int i = 0; i < 2 * strips; ++i) {
                        const int quarter = (i + level) & (2 * strips - 1);
                        const Quad quad = thread.load(all, row + 4 * quarter);
                        (quarter < 2 ? first : second)[thread] += quad.sum();
                    }
                });
                addUp(block, first);
                addUp(block, second);
                block.each([&](auto thread) {
                    const int level = (start + thread.index) / 4;
                    if (level >= levels || thread.index % 4 != 0)
                        return;
                    take(thread, pairOfSets ? 0 : 2 * group, level, first[thread] + (pairOfSets ? second[thread] : 0));
                    if (!pairOfSets && strips == 2)
                        take(thread, 2 * group + 1, level, second[thread]);
                });
            }
        }
    }

private:
    struct alignas(16) Quad {
        unsigned value[4];

        GPU_CODE unsigned sum() const { return value[0] + value[1] + value[2] + value[3]; }
    };
    GPU_CODE SharedArray<Quad> quads() const { return {reinterpret_cast<Quad *>(counters.data), slots / 4}; }

    // Of four neighbouring lanes.
    template <class Block, class Value> GPU_CODE static void addUp(Block &block, Value &value) {
        for (int mask = 1; mask <= 2; mask *= 2) {
            const auto other = block.shuffleXor(value, mask);
            block.each([&](auto thread) { value[thread] += other[thread]; });
        }
    }
};

// Adds to `counts` as Histogram does; `partial` as in ReduceStatistics. Either may have no data: it is not made then.
// A launch of one row of blocks, each one row of whole warps. `oneRow`: source has one.
template <class P, bool oneRow = false, int depth = 4> struct LaneHistogram {
    using Totals = ChannelTotals<std::uint8_t>;
    static_assert(std::is_same_v<typename P::Scalar, std::uint8_t> && (P::channels == 1 || P::channels == 4));
    static constexpr int rows = histogramRows<P>();
    static constexpr int bins = 256;
    using Counters = LaneCounters<rows>;
    using Walk = VectorWalk<P, depth, oneRow>;

    static constexpr int maximumThreads = 1024;
    static constexpr int minimumBlocks = 1;

    ImageView<const P> source;
    ImageView<unsigned long long> counts; // no data: not wanted
    ImageView<Totals> partial;            // no data: not wanted
    float threshold = largestValue<float>();

    static constexpr std::size_t sharedBytes() { return Counters::sharedBytes() + rows * bins * sizeof(unsigned); }

    template <class Block> GPU_CODE void operator()(Block &block) const {
        const Counters counters{block.template shared<unsigned>(Counters::slots)};
        const int warps = block.threads() / warpSize_;
        const int step = block.grid().x * warps;
        const Walk walk(source, step);
        auto batch = block.perThread(typename Walk::Batch{});
        block.phase([&](auto thread) { // the first loads are under way while the counters are cleared
            batch[thread] = walk.load(thread, block.index().x * warps + thread.warp);
            counters.clear(thread, block.threads());
        });
        block.phase([&](auto thread) {
            const unsigned base = Counters::base(thread);
            for (int unit = block.index().x * warps + thread.warp; unit < walk.units(); unit += walk.step()) {
                const auto now = batch[thread];
                batch[thread] = walk.load(thread, unit + walk.step());
                GPU_UNROLL for (int i = 0; i < depth; ++i) {
                    if (walk.has(now, i))
                        countVector(thread, counters, base, now.vector[i]);
                }
            }
            thread.reconverge();
            for (int y = block.index().x * warps + thread.warp; y < walk.rows(); y += step) {
                const int x = walk.edgeColumn(thread, y);
                if (x >= 0)
                    countPixel(thread, counters, base, thread.load(source, x, y));
            }
        });
        finish(block, counters);
    }

private:
    template <class Thread>
    GPU_CODE static void countVector(const Thread &thread, const Counters &counters, unsigned base,
                                     const PixelVector<P> &vector) {
        GPU_UNROLL for (unsigned word : vector.word) { countWord(thread, counters, base, word); }
    }
    template <class Thread>
    GPU_CODE static void countPixel(const Thread &thread, const Counters &counters, unsigned base, const P &pixel) {
        if constexpr (rows == 1)
            counters.count(thread, base, 0, pixel.channel[0], 0);
        else
            countWord(thread, counters, base, std::bit_cast<unsigned>(pixel));
    }
    // Four grey pixels, or one of four channels.
    template <class Thread>
    GPU_CODE static void countWord(const Thread &thread, const Counters &counters, unsigned base, unsigned word) {
        GPU_UNROLL for (int i = 0; i < 4; ++i) { counters.count(thread, base, rows == 1 ? 0 : i, word, i); }
        if constexpr (rows > 1)
            counters.countLast(thread, base, luminanceOfBytes(word));
    }
    // The block's counts to global memory, once a level, and its totals.
    template <class Block> GPU_CODE void finish(Block &block, const Counters &counters) const {
        auto sums = block.template shared<unsigned>(rows * bins);
        counters.forEachSum(block, [&](auto thread, int row, int level, unsigned sum) {
            if (partial.data)
                thread.store(sums, row * bins + level, sum);
            if (sum > 0 && counts.data)
                thread.atomicAdd(counts, level, row, static_cast<unsigned long long>(sum));
        });
        if (!partial.data)
            return;
        block.phase([](auto) {});
        storeLevelTotals(block, sums, partial, threshold);
    }
};

} // namespace tessera
