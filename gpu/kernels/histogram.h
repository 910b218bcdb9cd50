// Exact histograms, one a channel and one of luminance.
//
// 256 bins: every warp counts into a histogram of its own in shared memory, so that only the 32 lanes of one warp can
// meet at a counter; the block then adds its warps' histograms, bin by bin, and touches global memory once a bin.
// 65,536 bins do not fit in shared memory: lanes count in global memory directly, which the second-level cache serves.
#pragma once

#include "gpu/kernels/block.h"

#include <cstdint>
#include <type_traits>

namespace tessera {

template <class P> constexpr int histogramRows() { return P::channels >= 3 ? P::channels + 1 : P::channels; }

// Rec. 709 luminance of stored values, rounded to the nearest level, in integers so that every engine agrees to the
// bit: weights 0.2126, 0.7152, 0.0722 as ten-thousandths.
template <class P> GPU_CODE inline unsigned luminanceLevel(const P &pixel) {
    return (2126u * unsigned(pixel.channel[0]) + 7152u * unsigned(pixel.channel[1]) + 722u * unsigned(pixel.channel[2]) +
            5000u) / 10000u;
}

// Counts go to `counts`: one row a channel, in a colour picture then one of luminance; as wide as there are levels.
// The counters must be zero before. A launch of one row of threads a block, at most 8 warps.
template <class P> struct Histogram {
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
            block.each([&](auto thread) {
                forEachLevel(block, thread, [&](int row, unsigned level) {
                    thread.atomicAdd(counts, int(level), row, 1ull);
                });
            });
    }

private:
    template <class Block> GPU_CODE void countInShared(Block &block) const {
        const int warps = ceilDivide(block.threads(), warpSize_);
        auto mine = block.template shared<unsigned>(warps * rows * bins);
        block.phase([&](auto thread) {
            for (int i = thread.index; i < warps * rows * bins; i += block.threads())
                thread.store(mine, i, 0u);
        });
        block.phase([&](auto thread) {
            const int base = thread.warp * rows * bins;
            forEachLevel(block, thread,
                         [&](int row, unsigned level) { thread.atomicAdd(mine, base + row * bins + int(level), 1u); });
        });
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

    template <class Block, class Thread, class Count>
    GPU_CODE void forEachLevel(Block &block, const Thread &thread, Count count) const {
        for (int y = block.index().x; y < source.height; y += block.grid().x)
            for (int x = thread.index; x < source.width; x += block.threads()) {
                const P pixel = thread.load(source, x, y);
                for (int c = 0; c < P::channels; ++c)
                    count(c, pixel.channel[c]);
                if constexpr (rows > P::channels)
                    count(P::channels, luminanceLevel(pixel));
            }
    }
};

} // namespace tessera
