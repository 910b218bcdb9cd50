// Naive convolution in packed halves: two outputs a thread (one channel) or one RGBA pixel in two words.
//
// What naive.h wastes: 32-bit arithmetic for pixels that have 8 bits, and an instruction for every single product. Here
// one instruction makes two products and adds them. Pairs are loaded from even columns; a tap that needs an odd one
// takes the halves of two neighbouring pairs. What is left: every tap still goes through the global path
// (tiled_half2.h). See half2.h for the error.
#pragma once

#include "gpu/kernels/half2.h"

namespace tessera {

template <class SourcePixel, class TargetPixel> struct NaiveHalf2Convolve {
    using Target = TargetPixel;
    static constexpr int outputs = SourcePixel::channels == 1 ? 2 : 1; // a thread, side by side

    ConvolveOperands<SourcePixel, TargetPixel, HalfTaps> operands;

    template <class Block> GPU_CODE void operator()(Block &block) const { tile(block, block.index(), NoSink{}); }

    template <class Block, class Sink> GPU_CODE void tile(Block &block, Extent index, const Sink &sink) const {
        block.each([&](auto thread) {
            const int x = (index.x * block.size().x + thread.x) * outputs;
            const int y = index.y * block.size().y + thread.y;
            if (thread.branch(!operands.target.contains(x, y)))
                return;
            if constexpr (outputs == 2)
                convolvePair(thread, x, y, sink);
            else
                convolvePixel(thread, x, y, sink);
        });
    }

private:
    template <class Thread, class Sink>
    GPU_CODE void convolvePair(const Thread &thread, int x, int y, const Sink &sink) const {
        const HalfTaps &taps = operands.taps;
        const bool aligned = pairsAligned(operands.source.inside);
        const int offset = operands.originX - taps.anchorX;
        const int shift = offset & 1; // 1: the pair begins one pixel before the window
        const auto pairAt = [&](int u, int v) {
            return loadPair(thread, operands.source, aligned, taps.pixelScale, x + offset + u,
                            y + operands.originY - taps.anchorY + v);
        };
        HalfSum sum;
        for (int v = 0; v < taps.height; ++v) {
            Half2 pair = pairAt(-shift, v);
            for (int u = -shift; u < taps.width; u += 2) {
                if (u >= 0)
                    sum.addProduct(taps.at(u, v), pair);
                if (u + 1 < taps.width) {
                    const Half2 next = pairAt(u + 2, v);
                    sum.addProduct(taps.at(u + 1, v), {pair.high, next.low});
                    pair = next;
                }
            }
            sum.endRow(taps.sumInFloat);
        }
        sum.flush();
        storeOutput(thread, operands, x, y, {sum.total[0]}, sink);
        if (x + 1 < operands.target.width)
            storeOutput(thread, operands, x + 1, y, {sum.total[1]}, sink);
    }

    template <class Thread, class Sink>
    GPU_CODE void convolvePixel(const Thread &thread, int x, int y, const Sink &sink) const {
        const HalfTaps &taps = operands.taps;
        const int left = x + operands.originX - taps.anchorX;
        const int top = y + operands.originY - taps.anchorY;
        HalfSum first, second;
        for (int v = 0; v < taps.height; ++v) {
            for (int u = 0; u < taps.width; ++u) {
                const SourcePixel source = thread.load(operands.source, left + u, top + v);
                const HalfPixel pixel = halfPixelOf(source, taps.pixelScale);
                first.addProduct(taps.at(u, v), pixel.first);
                second.addProduct(taps.at(u, v), pixel.second);
            }
            first.endRow(taps.sumInFloat);
            second.endRow(taps.sumInFloat);
        }
        first.flush();
        second.flush();
        storeOutput(thread, operands, x, y, {first.total[0], first.total[1], second.total[0], second.total[1]}, sink);
    }
};

} // namespace tessera
