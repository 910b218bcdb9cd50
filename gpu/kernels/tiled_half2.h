// Tiled convolution in packed halves: the footprint is staged as halves, converted once.
//
// What naive_half2.h wastes: it converts and fetches every pixel once a tap. Here a block does so once, its tile takes
// half the shared memory of a float one, and a shared load of one word brings two pixels that serve two outputs under
// two taps. See half2.h for the error.
#pragma once

#include "gpu/kernels/half2.h"

namespace tessera {

template <class SourcePixel, class TargetPixel> struct TiledHalf2Convolve {
    using Target = TargetPixel;
    static constexpr int outputs = SourcePixel::channels == 1 ? 2 : 1; // a thread, side by side
    using Staged = std::conditional_t<outputs == 2, Half2, HalfPixel>; // what lies side by side in the footprint

    ConvolveOperands<SourcePixel, TargetPixel, HalfTaps> operands;

    GPU_CODE static constexpr int footprintColumns(int threadsX, int tapsWidth) {
        return outputs == 2 ? threadsX + (tapsWidth + 1) / 2 : threadsX + tapsWidth - 1;
    }
    static constexpr std::size_t sharedBytes(Extent threads, int tapsWidth, int tapsHeight) {
        return sizeof(Staged) * std::size_t(footprintColumns(threads.x, tapsWidth)) *
               std::size_t(threads.y + tapsHeight - 1);
    }

    template <class Block> GPU_CODE void operator()(Block &block) const { tile(block, block.index(), NoSink{}); }

    template <class Block, class Sink> GPU_CODE void tile(Block &block, Extent index, const Sink &sink) const {
        const HalfTaps &taps = operands.taps;
        const Extent threads = block.size();
        const int columns = footprintColumns(threads.x, taps.width);
        const int rows = threads.y + taps.height - 1;
        const int tileX = index.x * threads.x * outputs;
        const int tileY = index.y * threads.y;
        const int offset = operands.originX - taps.anchorX;
        const int shift = outputs == 2 ? offset & 1 : 0; // pairs begin in even columns
        auto footprint = block.template shared<Staged>(columns * rows);

        block.phase([&](auto thread) {
            const bool aligned = pairsAligned(operands.source.inside);
            const int left = tileX + offset - shift;
            const int top = tileY + operands.originY - taps.anchorY;
            for (int v = thread.y; v < rows; v += threads.y) {
                thread.reconverge();
                for (int i = thread.x; i < columns; i += threads.x)
                    thread.store(footprint, v * columns + i, stage(thread, aligned, left + i * outputs, top + v));
            }
        });

        block.each([&](auto thread) {
            const int x = tileX + thread.x * outputs;
            const int y = tileY + thread.y;
            if (thread.branch(!operands.target.contains(x, y)))
                return;
            if constexpr (outputs == 2)
                convolvePair(thread, footprint, thread.y * columns + thread.x, columns, shift, x, y, sink);
            else
                convolvePixel(thread, footprint, thread.y * columns + thread.x, columns, x, y, sink);
        });
    }

private:
    template <class Thread> GPU_CODE Staged stage(const Thread &thread, bool aligned, int x, int y) const {
        if constexpr (outputs == 2) {
            return loadPair(thread, operands.source, aligned, operands.taps.pixelScale, x, y);
        } else {
            const SourcePixel pixel = thread.load(operands.source, x, y);
            return halfPixelOf(pixel, operands.taps.pixelScale);
        }
    }

    template <class Thread, class Sink>
    GPU_CODE void convolvePair(const Thread &thread, const SharedArray<Half2> &footprint, int start, int columns,
                               int shift, int x, int y, const Sink &sink) const {
        const HalfTaps &taps = operands.taps;
        HalfSum sum;
        for (int v = 0; v < taps.height; ++v) {
            int index = start + v * columns;
            Half2 pair = thread.load(footprint, index);
            for (int u = -shift; u < taps.width; u += 2) {
                if (u >= 0)
                    sum.addProduct(taps.at(u, v), pair);
                if (u + 1 < taps.width) {
                    const Half2 next = thread.load(footprint, ++index);
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
    GPU_CODE void convolvePixel(const Thread &thread, const SharedArray<HalfPixel> &footprint, int start, int columns,
                                int x, int y, const Sink &sink) const {
        const HalfTaps &taps = operands.taps;
        HalfSum first, second;
        for (int v = 0; v < taps.height; ++v) {
            for (int u = 0; u < taps.width; ++u) {
                const HalfPixel pixel = thread.load(footprint, start + v * columns + u);
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
