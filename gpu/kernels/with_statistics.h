// A convolution whose output's statistics and histograms come out of the same launch.
//
// What a second pass wastes: it reads the whole output again. Here each thread adds the outputs it has just made to
// totals in its registers and to a histogram of its block in shared memory. Blocks stay: a few for each multiprocessor
// take tile after tile, so that a block's totals and its histogram go to global memory once, not once a tile.
#pragma once

#include "gpu/kernels/convolve.h"
#include "gpu/kernels/histogram.h"
#include "gpu/kernels/reduce.h"

namespace tessera {

// `Kernel` is any convolution kernel. A launch of any number of blocks in one row; `tiles` is what the kernel's own
// plan would launch. `partial` as in ReduceStatistics, `counts` as in Histogram: 256 or 65,536 levels, zero before; a
// float target has totals only, and `counts` stays unused.
template <class Kernel> struct WithStatistics {
    using TargetPixel = typename Kernel::Target;
    using Scalar = typename TargetPixel::Scalar;
    using Reduce = ReduceStatistics<TargetPixel>;
    using Totals = typename Reduce::Totals;
    static constexpr bool counted = sizeof(Scalar) < 4;
    static constexpr int bins = sizeof(Scalar) == 1 ? 256 : 65536;
    static constexpr int rows = histogramRows<TargetPixel>();
    static constexpr bool countedInShared = bins == 256;
    static constexpr int maximumThreads = Reduce::maximumThreads;
    static constexpr int minimumBlocks = 1; // four channels of totals want registers before occupancy

    Kernel kernel;
    Extent tiles;
    ImageView<Totals> partial;
    ImageView<unsigned long long> counts;
    float threshold = largestValue<float>();

    // What comes on top of the kernel's own shared memory; 16 bytes for alignment between them.
    static constexpr std::size_t extraSharedBytes() {
        return (countedInShared ? rows * bins * sizeof(unsigned) : 0) + Reduce::sharedBytes() + 16;
    }

    template <class Block> GPU_CODE void operator()(Block &block) const {
        typename Reduce::PixelTotals identity;
        for (auto &channel : identity.channel)
            channel = Reduce::ThreadTotals::identity();
        auto totals = block.perThread(identity);
        auto histogram = block.template shared<unsigned>(countedInShared ? rows * bins : 0);
        if constexpr (countedInShared)
            block.phase([&](auto thread) {
                for (int i = thread.index; i < rows * bins; i += block.threads())
                    thread.store(histogram, i, 0u);
            });

        const auto gather = [&](auto thread, const TargetPixel &pixel) {
            for (int c = 0; c < TargetPixel::channels; ++c) {
                totals[thread].channel[c].add(pixel.channel[c]);
                totals[thread].channel[c].above += float(pixel.channel[c]) > threshold ? 1u : 0u;
            }
            if constexpr (counted)
                count(thread, histogram, pixel);
        };
        const int mark = block.sharedUsed();
        for (int i = block.index().x; i < tiles.area(); i += block.grid().x) {
            kernel.tile(block, {i % tiles.x, i / tiles.x}, gather);
            block.phase([](auto) {}); // the next tile's footprint takes the place of this one's
            block.reuseShared(mark);
        }
        if constexpr (countedInShared)
            block.each([&](auto thread) {
                for (int i = thread.index; i < rows * bins; i += block.threads()) {
                    const unsigned sum = thread.load(histogram, i);
                    if (sum > 0)
                        thread.atomicAdd(counts, i % bins, i / bins, static_cast<unsigned long long>(sum));
                }
            });
        Reduce::storeTotals(block, totals, partial);
    }

private:
    template <class Thread>
    GPU_CODE void count(const Thread &thread, const SharedArray<unsigned> &histogram, const TargetPixel &pixel) const {
        const auto add = [&](int row, unsigned level) {
            if constexpr (countedInShared)
                thread.atomicAdd(histogram, row * bins + int(level), 1u);
            else
                thread.atomicAdd(counts, int(level), row, 1ull);
        };
        for (int c = 0; c < TargetPixel::channels; ++c)
            add(c, pixel.channel[c]);
        if constexpr (rows > TargetPixel::channels)
            add(TargetPixel::channels, luminanceLevel(pixel));
    }
};

} // namespace tessera
