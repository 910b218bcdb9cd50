// Naive convolution: one thread an output, every tap read from global memory.
//
// What it wastes: neighbouring outputs share most of their windows, so that each picture value is fetched once a tap,
// width * height times in all. The caches catch many of the repeats, but every one still costs an instruction and a
// trip to the first-level cache. Its successor, tiled.h, fetches each value of a block's footprint once.
#pragma once

#include "gpu/kernels/convolve.h"

namespace tessera {

template <class SourcePixel, class TargetPixel> struct NaiveConvolve {
    using Target = TargetPixel;
    static constexpr int maximumThreads = 256; // the planner's blocks; more registers for each
    ConvolveOperands<SourcePixel, TargetPixel> operands;

    template <class Block> GPU_CODE void operator()(Block &block) const { tile(block, block.index(), NoSink{}); }

    template <class Block, class Sink> GPU_CODE void tile(Block &block, Extent index, const Sink &sink) const {
        block.each([&](auto thread) {
            const int x = index.x * block.size().x + thread.x;
            const int y = index.y * block.size().y + thread.y;
            if (thread.branch(!operands.target.contains(x, y)))
                return; // the grid is rounded up to whole blocks

            const int left = x + operands.originX - operands.taps.anchorX;
            const int top = y + operands.originY - operands.taps.anchorY;
            // Windows inside the picture, nearly all of them, skip the border's questions tap by tap.
            const ImageView<const SourcePixel> &inside = operands.source.inside;
            const bool whole = inside.contains(left, top) &&
                               inside.contains(left + operands.taps.width - 1, top + operands.taps.height - 1);
            storeOutput(thread, operands, x, y,
                        thread.branch(whole) ? sumOfWindow(thread, inside, left, top)
                                             : sumOfWindow(thread, operands.source, left, top),
                        sink);
        });
    }

private:
    template <class Thread, class View>
    GPU_CODE Accumulator<SourcePixel> sumOfWindow(const Thread &thread, const View &view, int left, int top) const {
        const Taps &taps = operands.taps;
        Accumulator<SourcePixel> sum{};
        int tap = 0; // a running index is one uniform addition for the whole warp; v * width + u would cost each thread
        for (int v = 0; v < taps.height; ++v)
            for (int u = 0; u < taps.width; ++u)
                multiplyAdd(sum, taps.value[tap++], widen(thread.load(view, left + u, top + v)));
        return sum;
    }
};

} // namespace tessera
