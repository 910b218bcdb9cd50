// What all convolution kernels share: their operands and how a sum becomes a stored pixel.
//
// Every kernel has `tile(block, index, sink)`, which makes the outputs of one tile and hands each to the sink, and
// `operator()(block)`, which makes the tile that the block's own index names.
#pragma once

#include "gpu/image/finish.h"
#include "gpu/image/taps.h"
#include "gpu/kernels/block.h"

namespace tessera {

// target(x, y) is the output at (x + originX, y + originY) of the source: a whole picture or a part of it.
template <class SourcePixel, class TargetPixel, class TapsType = Taps> struct ConvolveOperands {
    BorderedView<SourcePixel> source;
    ImageView<TargetPixel> target;
    int originX = 0;
    int originY = 0;
    Finish finish;
    unsigned channelMask = ~0u; // channels whose bit is clear are copied from the source
    TapsType taps;
};

// The stored pixel for one output's sum; unfiltered channels take the source's value at the same place.
template <class Thread, class SourcePixel, class TargetPixel, class TapsType>
GPU_CODE inline TargetPixel finishOutput(const Thread &thread,
                                         const ConvolveOperands<SourcePixel, TargetPixel, TapsType> &operands, int x,
                                         int y, const Accumulator<SourcePixel> &sum) {
    using Value = typename TargetPixel::Scalar;
    constexpr unsigned all = (1u << TargetPixel::channels) - 1u;
    TargetPixel pixel;
    for (int c = 0; c < TargetPixel::channels; ++c)
        pixel.channel[c] = finishValue<Value>(operands.finish, sum.channel[c]);
    if ((operands.channelMask & all) != all) {
        const auto original = widen(thread.load(operands.source, x + operands.originX, y + operands.originY));
        for (int c = 0; c < TargetPixel::channels; ++c)
            if (!(operands.channelMask >> c & 1u))
                pixel.channel[c] = finishValue<Value>(Finish{}, original.channel[c]);
    }
    return pixel;
}

// What else happens to each stored output, in the thread that made it. This: nothing. with_statistics.h gathers. A
// kernel that makes several outputs in a thread gives them as a group, the larger the cheaper; only such as are inside
// the target.
struct NoSink {
    template <class Thread, class P> GPU_CODE void operator()(const Thread &, const P &) const {}
    template <class Thread, class P, int n> GPU_CODE void group(const Thread &, const P (&)[n]) const {}
};

template <class Thread, class SourcePixel, class TargetPixel, class TapsType, class Sink = NoSink>
GPU_CODE inline void storeOutput(const Thread &thread,
                                 const ConvolveOperands<SourcePixel, TargetPixel, TapsType> &operands, int x, int y,
                                 const Accumulator<SourcePixel> &sum, const Sink &sink = {}) {
    const TargetPixel pixel = finishOutput(thread, operands, x, y, sum);
    thread.store(operands.target, x, y, pixel);
    sink(thread, pixel);
}

} // namespace tessera
