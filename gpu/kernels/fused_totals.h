// What a thread of a convolution keeps of a float channel of its outputs. The convolution needs nearly all registers
// for itself, so that only what every output changes lives in them; counts of NaN, infinities and clipped values are
// the block's, in shared memory, a counter a lane.
#pragma once

#include "gpu/kernels/block.h"
#include "gpu/kernels/channel_totals.h"

namespace tessera {

enum class RareValue : std::uint8_t { Nan, Infinite, ClippedLow, ClippedHigh, Above };

// A block's counts of rare values, for `channels`.
template <int channels> struct RareCounts {
    static constexpr int kinds = 5;
    static constexpr int count = kinds * channels * warpSize_;

    SharedArray<unsigned> counters;

    template <class Thread> GPU_CODE void clear(const Thread &thread, int threads) const {
        for (int i = thread.index; i < count; i += threads)
            thread.store(counters, i, 0u);
    }
    template <class Thread> GPU_CODE void add(const Thread &thread, int c, RareValue kind, unsigned times) const {
        if (times > 0)
            thread.atomicAdd(counters, place(thread, c, kind), times);
    }
    template <class Thread> GPU_CODE unsigned of(const Thread &thread, int c, RareValue kind) const {
        return thread.load(counters, place(thread, c, kind));
    }

private:
    template <class Thread> GPU_CODE static int place(const Thread &thread, int c, RareValue kind) {
        return (c * kinds + int(kind)) * warpSize_ + thread.lane;
    }
};

struct FusedTotals {
    double sum, sumOfSquares;
    float minimum, maximum;
    unsigned finite;

    GPU_CODE static constexpr FusedTotals identity() { return {0, 0, largestValue<float>(), lowestValue<float>(), 0}; }

    // The values are looked at again only where one of them is no number, or clipped, or where there is a threshold.
    // NaN and infinity show in the sum (see FloatGroup), clipped values in the extremes.
    template <class Thread, int n, int channels>
    GPU_CODE void add(const Thread &thread, const float (&values)[n], int c, const RareCounts<channels> &rare,
                      float threshold) {
        const FloatGroup group(sum, sumOfSquares, values);
        const bool numbers = group.allFinite();
        if (numbers) {
            sum = group.sum;
            sumOfSquares = group.sumOfSquares;
            minimum = fminf(minimum, group.low);
            maximum = fmaxf(maximum, group.high);
            finite += n;
        }
        if (!numbers || group.low <= 0.0f || group.high >= ChannelTotals<float>::white() ||
            threshold < largestValue<float>())
            lookAgain(thread, values, !numbers, c, rare, threshold);
    }

private:
    template <class Thread, int n, int channels>
    GPU_CODE void lookAgain(const Thread &thread, const float (&values)[n], bool addToo, int c,
                            const RareCounts<channels> &rare, float threshold) {
        auto group = ChannelTotals<float, unsigned>::identity();
        unsigned above = 0;
        GPU_UNROLL for (int i = 0; i < n; ++i) {
            if (addToo)
                group.add(values[i]);
            else {
                group.clippedLow += values[i] <= 0.0f;
                group.clippedHigh += values[i] >= group.white();
            }
            above += values[i] > threshold;
        }
        if (addToo) {
            sum += group.sum;
            sumOfSquares += group.sumOfSquares;
            minimum = fminf(minimum, group.minimum);
            maximum = fmaxf(maximum, group.maximum);
            finite += group.finite;
            rare.add(thread, c, RareValue::Nan, group.nan);
            rare.add(thread, c, RareValue::Infinite, group.infinite);
        }
        rare.add(thread, c, RareValue::ClippedLow, group.clippedLow);
        rare.add(thread, c, RareValue::ClippedHigh, group.clippedHigh);
        rare.add(thread, c, RareValue::Above, above);
    }
};

} // namespace tessera
