// Exact histograms of 16-bit pictures: 65,536 counters a block, sixteen bits each, in 128 KB of shared memory.
//
// What histogram.h wastes: 65,536 counters of 32 bits exceed shared memory, so it counts in global memory, and the
// second-level cache adds a tenth of what shared memory could. Here two counters share a word: level l counts in word
// l % 32768, the upper levels in its upper half, so that neighbouring levels lie in neighbouring banks. A block sees
// some 500,000 pixels of a large picture; a counter that grows too large gives 32,768 to global memory, which happens
// in pictures of few levels only. Each block hands its counters to `partial`, and AddPartialCounts adds the blocks up.
//
// Lanes that meet at a word queue. So a thread first adds up runs of equal levels among the eight pixels it has loaded:
// a constant picture takes an eighth of the additions.
#pragma once

#include "gpu/kernels/histogram.h"
#include "gpu/kernels/vector_walk.h"

namespace tessera {

// The two counters of a word. An atomic addition tells the word before, and so the word after: what crosses a multiple
// of 32,768 is known exactly, whoever else adds in between. Each crossing gives 32,768 to its level's count in global
// memory, and the counter's lower fifteen bits stay:
//   - where bit 15 or bit 31 has changed, that counter has crossed; whether it rose or fell back to 0 does not matter;
//   - where bit 15 fell, the lower counter has carried into the upper one; the carry is taken back, and if bit 31
//     changes as it goes, the upper counter has crossed downwards.
template <class P, bool oneRow = false> struct WideHistogram {
    using Scalar = typename P::Scalar;
    static_assert(std::is_same_v<Scalar, std::uint16_t>);
    static constexpr int rows = histogramRows<P>();
    static constexpr int bins = 65536;
    static constexpr int words = bins / 2; // of two counters
    static constexpr int depth = 2;
    static constexpr int maximumThreads = 1024;
    static constexpr int minimumBlocks = 1;
    using Walk = VectorWalk<P, depth, oneRow>;

    ImageView<const P> source;
    ImageView<unsigned long long> counts; // as in Histogram: takes what runs over
    ImageView<unsigned> partial;          // `words` wide, a row a block: what did not

    static constexpr std::size_t sharedBytes() { return words * sizeof(unsigned); }

    // Block i counts row i % rows, together with every rows-th block: at least `rows` blocks, each one row of whole
    // warps. Blocks of one row take turns.
    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto counters = block.template shared<unsigned>(words);
        const int row = block.index().x % rows;
        const int warps = block.threads() / warpSize_;
        const int first = block.index().x / rows * warps;
        const int step = (block.grid().x - row + rows - 1) / rows * warps;
        const Walk walk(source, step);
        auto batch = block.perThread(typename Walk::Batch{});
        block.phase([&](auto thread) {
            batch[thread] = walk.load(thread, first + thread.warp);
            for (int i = thread.index; i < words; i += block.threads())
                thread.store(counters, i, 0u);
        });
        block.phase([&](auto thread) {
            for (int unit = first + thread.warp; unit < walk.units(); unit += walk.step()) {
                const auto now = batch[thread];
                batch[thread] = walk.load(thread, unit + walk.step());
                GPU_UNROLL for (int i = 0; i < depth; ++i) {
                    if (walk.has(now, i))
                        countVector(thread, counters, row, now.vector[i]);
                }
            }
            thread.reconverge();
            for (int y = first + thread.warp; y < walk.rows(); y += step) {
                const int x = walk.edgeColumn(thread, y);
                if (x >= 0)
                    count(thread, counters, row, levelOf(thread.load(source, x, y), row));
            }
        });
        block.each([&](auto thread) {
            for (int i = thread.index; i < words; i += block.threads())
                thread.store(partial, i, block.index().x, thread.load(counters, i));
        });
    }

private:
    GPU_CODE static unsigned levelOf(const P &pixel, int row) {
        if constexpr (rows == 1)
            return pixel.channel[0];
        else {
            unsigned level = luminanceLevel(pixel);
            GPU_UNROLL for (int c = 0; c < P::channels; ++c) { level = row == c ? pixel.channel[c] : level; }
            return level;
        }
    }

    static constexpr unsigned crossings = 0x80008000u;

    // Runs of equal levels are added at once. All additions are on their way before the first answer is looked at.
    template <class Thread>
    GPU_CODE void countVector(const Thread &thread, const SharedArray<unsigned> &counters, int row,
                              const PixelVector<P> &vector) const {
        constexpr int pixels = PixelVector<P>::pixels;
        unsigned level[pixels], before[pixels], after[pixels];
        unsigned times = 1, crossed = 0;
        GPU_UNROLL for (int i = 0; i < pixels; ++i) { level[i] = levelOf(vector.pixel(i), row); }
        GPU_UNROLL for (int i = 0; i < pixels; ++i) {
            before[i] = after[i] = 0;
            if (i == pixels - 1 || level[i] != level[i + 1]) {
                const unsigned increment = incrementOf(level[i], times);
                before[i] = thread.atomicAdd(counters, int(level[i] % words), increment);
                after[i] = before[i] + increment;
                times = 0;
            }
            ++times;
        }
        GPU_UNROLL for (int i = 0; i < pixels; ++i) { crossed |= before[i] ^ after[i]; }
        if ((crossed & crossings) == 0)
            return;
        GPU_UNROLL for (int i = 0; i < pixels; ++i) {
            carryOver(thread, counters, row, int(level[i] % words), before[i], after[i]);
        }
    }

    GPU_CODE static unsigned incrementOf(unsigned level, unsigned times) {
        return level < unsigned(words) ? times : times << 16;
    }

    template <class Thread>
    GPU_CODE void count(const Thread &thread, const SharedArray<unsigned> &counters, int row, unsigned level) const {
        const unsigned increment = incrementOf(level, 1);
        const unsigned before = thread.atomicAdd(counters, int(level % words), increment);
        carryOver(thread, counters, row, int(level % words), before, before + increment);
    }

    template <class Thread>
    GPU_CODE void carryOver(const Thread &thread, const SharedArray<unsigned> &counters, int row, int word,
                            unsigned before, unsigned after) const {
        constexpr unsigned lower = 0x8000u, upper = 0x80000000u;
        constexpr unsigned long long crossing = 32768;
        const unsigned changed = before ^ after;
        if (changed & upper)
            thread.atomicAdd(counts, word + words, row, crossing);
        if (!(changed & lower))
            return;
        thread.atomicAdd(counts, word, row, crossing);
        if (after & lower)
            return;
        const unsigned carried = thread.atomicAdd(counters, word, 0u - 65536u);
        if ((carried ^ (carried - 65536u)) & upper)
            thread.atomicAdd(counts, word + words, row, 0 - crossing);
    }
};

// Adds the blocks' counters to `counts`: thread i of the launch's rows of blocks takes word i, block row y of them
// every grid.y-th block's counters. `rows` as in WideHistogram.
struct AddPartialCounts {
    ImageView<const unsigned> partial;
    ImageView<unsigned long long> counts;
    int rows = 1;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int word = block.index().x * block.threads() + thread.index;
            if (word >= partial.width)
                return;
            const int row = block.index().y % rows;
            unsigned lower = 0, upper = 0;
            for (int i = block.index().y; i < partial.height; i += block.grid().y) {
                const unsigned both = thread.load(partial, word, i);
                lower += both & 0x7fffu;
                upper += both >> 16 & 0x7fffu;
            }
            if (lower > 0)
                thread.atomicAdd(counts, word, row, static_cast<unsigned long long>(lower));
            if (upper > 0)
                thread.atomicAdd(counts, word + partial.width, row, static_cast<unsigned long long>(upper));
        });
    }
};

} // namespace tessera
