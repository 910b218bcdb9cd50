// Naive convolution, four outputs a thread, through loads of four pixels (float4 for one float channel).
//
// What naive.h wastes: a load instruction for every tap, though its four bytes lie beside those of the next tap and of
// the next output. Here a thread loads aligned groups of four pixels and uses each for up to four outputs and four
// taps: about (width + 3) / 4 loads a kernel row for four outputs instead of 4 * width. Neighbouring threads still
// fetch the same pixels from the cache; tiled_float4.h keeps them in shared memory.
#pragma once

#include "gpu/kernels/convolve.h"
#include "gpu/kernels/vector_access.h"

namespace tessera {

// Adds what one group of pixels gives to four neighbouring outputs. `firstTap`: the tap under which the group's first
// pixel lies for the first output. A pixel outside an output's window is skipped, not multiplied by 0, since 0 times
// infinity would not be 0.
template <class P>
GPU_CODE inline void addGroup(Accumulator<P> (&sum)[pixelsPerGroup], const P (&group)[pixelsPerGroup], const Taps &taps,
                              int firstTap, int row) {
    const int base = row * taps.width + firstTap;
    constexpr int reach = pixelsPerGroup - 1;
    if (firstTap >= reach && firstTap + reach < taps.width) { // the same for the whole warp
        for (int i = 0; i < pixelsPerGroup; ++i)
            for (int output = 0; output < pixelsPerGroup; ++output)
                multiplyAdd(sum[output], taps.value[base + i - output], widen(group[i]));
        return;
    }
    for (int i = 0; i < pixelsPerGroup; ++i)
        for (int output = 0; output < pixelsPerGroup; ++output) {
            const int tap = firstTap + i - output;
            if (tap >= 0 && tap < taps.width)
                multiplyAdd(sum[output], taps.value[base + i - output], widen(group[i]));
        }
}

// Finishes four outputs and stores those that the target has.
template <class Thread, class SourcePixel, class TargetPixel, class Sink = NoSink>
GPU_CODE inline void storeOutputs(const Thread &thread, const ConvolveOperands<SourcePixel, TargetPixel> &operands,
                                  int x, int y, const Accumulator<SourcePixel> (&sum)[pixelsPerGroup],
                                  const Sink &sink = {}) {
    TargetPixel group[pixelsPerGroup];
    for (int i = 0; i < pixelsPerGroup; ++i)
        group[i] = finishOutput(thread, operands, x + i, y, sum[i]);
    storeGroup(thread, operands.target, x, y, group);
    if (x + pixelsPerGroup <= operands.target.width)
        return sink.group(thread, group);
    for (int i = 0; i < pixelsPerGroup; ++i)
        if (x + i < operands.target.width)
            sink(thread, group[i]);
}

template <class SourcePixel, class TargetPixel> struct NaiveVectorConvolve {
    using Target = TargetPixel;
    static constexpr int minimumBlocks = 1; // four sums a thread want registers before occupancy

    ConvolveOperands<SourcePixel, TargetPixel> operands;

    template <class Block> GPU_CODE void operator()(Block &block) const { tile(block, block.index(), NoSink{}); }

    template <class Block, class Sink> GPU_CODE void tile(Block &block, Extent index, const Sink &sink) const {
        block.each([&](auto thread) {
            const int x = (index.x * block.size().x + thread.x) * pixelsPerGroup;
            const int y = index.y * block.size().y + thread.y;
            if (thread.branch(!operands.target.contains(x, y)))
                return;

            const Taps &taps = operands.taps;
            const bool aligned = groupsAligned(operands.source.inside);
            const int offset = operands.originX - taps.anchorX; // x is a multiple of four, so this alone decides
            const int shift = offset - alignDown(offset);       // how far groups begin before the window
            const int left = x + offset;
            const int top = y + operands.originY - taps.anchorY;
            Accumulator<SourcePixel> sum[pixelsPerGroup] = {};
            for (int v = 0; v < taps.height; ++v)
                for (int u = -shift; u < taps.width + pixelsPerGroup - 1; u += pixelsPerGroup) {
                    SourcePixel group[pixelsPerGroup];
                    loadGroup(thread, operands.source, aligned, left + u, top + v, group);
                    addGroup(sum, group, taps, u, v);
                }
            storeOutputs(thread, operands, x, y, sum, sink);
        });
    }
};

} // namespace tessera
