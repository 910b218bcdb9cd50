// The totals of a channel whose levels were counted: of integer pixels every statistic follows from the exact
// histogram, in whole numbers, and no pixel needs to be looked at twice.
#pragma once

#include "gpu/kernels/reduce.h"

namespace tessera {

// Adds `count` values of `level`.
template <class T, class Count>
GPU_CODE inline void addLevel(ChannelTotals<T, Count> &totals, unsigned level, unsigned long long count,
                              float threshold) {
    if (count == 0)
        return;
    totals.sum += count * level;
    totals.sumOfSquares += count * level * level;
    totals.minimum = level < totals.minimum ? T(level) : totals.minimum;
    totals.maximum = level > totals.maximum ? T(level) : totals.maximum;
    totals.finite += Count(count);
    totals.clippedLow += level == 0 ? Count(count) : Count(0);
    totals.clippedHigh += level == totals.white() ? Count(count) : Count(0);
    totals.above += float(level) > threshold ? Count(count) : Count(0);
}

// `counts`: one of 256 or 65,536 levels, as T has.
template <class T>
inline ChannelTotals<T> totalsOfLevels(const unsigned long long *counts, float threshold = largestValue<float>()) {
    auto totals = ChannelTotals<T>::identity();
    for (unsigned level = 0; level <= ChannelTotals<T>::white(); ++level)
        addLevel(totals, level, counts[level], threshold);
    return totals;
}

// The totals of a block's counts, `rows` of 256 in shared memory, of which the first are channels: a warp a channel,
// eight levels a lane. Stored in row `block.index().x` of `partial`.
template <class Block, class Totals>
GPU_CODE inline void storeLevelTotals(Block &block, const SharedArray<unsigned> &counts,
                                      const ImageView<Totals> &partial, float threshold) {
    constexpr int levels = 256;
    const int warps = block.threads() / warpSize_;
    for (int first = 0; first < partial.width; first += warps) {
        auto totals = block.perThread(Totals::identity());
        block.each([&](auto thread) {
            const int c = first + thread.warp;
            for (int i = thread.lane; c < partial.width && i < levels; i += warpSize_)
                addLevel(totals[thread], unsigned(i), thread.load(counts, c * levels + i), threshold);
        });
        warpReduceTotals<Totals>(block, totals, [](Totals &all) -> Totals & { return all; });
        block.each([&](auto thread) {
            if (thread.lane == 0 && first + thread.warp < partial.width)
                thread.store(partial, first + thread.warp, block.index().x, totals[thread]);
        });
    }
}

} // namespace tessera
