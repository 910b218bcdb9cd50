// Exact histograms, one a channel and one of luminance.
//
// 256 bins: every warp counts into a histogram of its own in shared memory, so that only the 32 lanes of one warp can
// meet at a counter; the block then adds its warps' histograms, bin by bin, and touches global memory once a bin.
// 65,536 bins do not fit in shared memory: lanes count in global memory directly, which the second-level cache serves.
//
// Lanes that meet at a counter wait for one another, and in a constant picture all of them meet at one. Shared memory's
// increment by one adds up a warp's lanes by itself (ATOMS.POPC.INC), global memory's does not: there lanes first find
// runs of one level among themselves, and the last lane of a run adds its length. A constant picture then takes one
// addition a warp instead of 32, and a smooth one a few.
#pragma once

#include "gpu/kernels/bits.h"
#include "gpu/kernels/block.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tessera {

template <class P> constexpr int histogramRows() { return P::channels >= 3 ? P::channels + 1 : P::channels; }

// Rec. 709 luminance of stored values, rounded to the nearest level, in integers so that every engine agrees to the
// bit: weights 0.2126, 0.7152, 0.0722 as ten-thousandths.
template <class P> GPU_CODE inline unsigned luminanceLevel(const P &pixel) {
    return (2126u * unsigned(pixel.channel[0]) + 7152u * unsigned(pixel.channel[1]) +
            722u * unsigned(pixel.channel[2]) + 5000u) /
           10000u;
}

// The same of a pixel's four bytes in one word: two dot products where the GPU has them.
GPU_CODE inline unsigned luminanceOfBytes(unsigned word) {
#if defined(__CUDA_ARCH__)
    return __dp2a_hi(722u, word, __dp2a_lo(7152u << 16 | 2126u, word, 5000u)) / 10000u;
#else
    return luminanceLevel(std::bit_cast<Pixel<std::uint8_t, 4>>(word));
#endif
}

// How a warp's lanes come to a counter: each by itself, or runs of neighbouring lanes with one level together.
enum class HistogramCounting : std::uint8_t { Lanes, Runs };

template <class P> constexpr HistogramCounting preferredCounting() {
    return sizeof(typename P::Scalar) == 1 ? HistogramCounting::Lanes : HistogramCounting::Runs;
}

// Counts go to `counts`: one row a channel, in a colour picture then one of luminance; as wide as there are levels.
// The counters must be zero before. A launch of one row of whole warps a block, at most 8.
template <class P, HistogramCounting counting = preferredCounting<P>()> struct Histogram {
    using Scalar = typename P::Scalar;
    static_assert(std::is_same_v<Scalar, std::uint8_t> || std::is_same_v<Scalar, std::uint16_t>);
    static constexpr int bins = std::is_same_v<Scalar, std::uint8_t> ? 256 : 65536;
    static constexpr int rows = histogramRows<P>();
    static constexpr bool privatised = bins == 256;

    ImageView<const P> source;
    ImageView<unsigned long long> counts;

    static constexpr std::size_t sharedBytes(int threads) {
        return privatised ? std::size_t(ceilDivide(threads, warpSize_)) * rows * bins * sizeof(unsigned) : 0;
    }

    template <class Block> GPU_CODE void operator()(Block &block) const {
        if constexpr (privatised)
            countInShared(block);
        else
            forEachLevel(block, [&](auto thread, int row, unsigned level, unsigned times) {
                thread.atomicAdd(counts, int(level), row, static_cast<unsigned long long>(times));
            });
    }

private:
    // The levels of one pixel in all rows; a thread beyond the picture's edge has none.
    struct Levels {
        unsigned row[rows];
        bool inside = false;
    };

    template <class Block> GPU_CODE void countInShared(Block &block) const {
        const int warps = ceilDivide(block.threads(), warpSize_);
        auto mine = block.template shared<unsigned>(warps * rows * bins);
        block.phase([&](auto thread) {
            for (int i = thread.index; i < warps * rows * bins; i += block.threads())
                thread.store(mine, i, 0u);
        });
        forEachLevel(block, [&](auto thread, int row, unsigned level, unsigned times) {
            thread.atomicAdd(mine, (thread.warp * rows + row) * bins + int(level), times);
        });
        block.phase([](auto) {});
        block.each([&](auto thread) {
            for (int i = thread.index; i < rows * bins; i += block.threads()) {
                unsigned long long sum = 0;
                for (int warp = 0; warp < warps; ++warp)
                    sum += thread.load(mine, warp * rows * bins + i);
                if (sum > 0)
                    thread.atomicAdd(counts, i % bins, i / bins, sum);
            }
        });
    }

    // Calls count(thread, row, level, times) so that every pixel is counted once in each row. Blocks take whole rows.
    template <class Block, class Count> GPU_CODE void forEachLevel(Block &block, Count count) const {
        for (int y = block.index().x; y < source.height; y += block.grid().x)
            for (int left = 0; left < source.width; left += block.threads()) {
                auto levels = block.perThread(Levels{});
                block.each([&](auto thread) {
                    const int x = left + thread.index;
                    if (x < source.width)
                        levels[thread] = levelsOf(thread.load(source, x, y));
                });
                GPU_UNROLL for (int row = 0; row < rows; ++row) {
                    if constexpr (counting == HistogramCounting::Lanes)
                        block.each([&](auto thread) {
                            if (levels[thread].inside)
                                count(thread, row, levels[thread].row[row], 1u);
                        });
                    else
                        countRuns(block, levels, row, count);
                }
            }
    }

    GPU_CODE static Levels levelsOf(const P &pixel) {
        Levels levels;
        levels.inside = true;
        for (int c = 0; c < P::channels; ++c)
            levels.row[c] = pixel.channel[c];
        if constexpr (rows > P::channels)
            levels.row[P::channels] = luminanceLevel(pixel);
        return levels;
    }

    // A lane ends a run where the next one has another level. The ballot of all ends tells each of them where the run
    // before ended, and so how long its own is.
    template <class Block, class All, class Count>
    GPU_CODE static void countRuns(Block &block, All &levels, int row, Count count) {
        constexpr unsigned outside = ~0u; // no level: ends the last run of a row
        auto level = block.perThread(outside);
        block.each([&](auto thread) {
            if (levels[thread].inside)
                level[thread] = levels[thread].row[row];
        });
        const auto next = block.shuffleDown(level, 1);
        auto ends = block.perThread(false);
        block.each([&](auto thread) { ends[thread] = thread.lane == warpSize_ - 1 || level[thread] != next[thread]; });
        const auto allEnds = block.ballot(ends);
        block.each([&](auto thread) {
            if (!ends[thread] || level[thread] == outside)
                return;
            const unsigned before = allEnds[thread] & ((1u << thread.lane) - 1u);
            count(thread, row, level[thread], unsigned(thread.lane - highestBit(before)));
        });
    }
};

} // namespace tessera
