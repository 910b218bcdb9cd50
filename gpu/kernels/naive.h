// Naive convolution: one thread an output, every tap read from global memory.
//
// What it wastes: neighbouring outputs share most of their windows, so that each picture value is fetched once a tap,
// width * height times in all. The caches catch many of the repeats, but every one still costs an instruction and a
// trip to the first-level cache. Its successor, tiled.h, fetches each value of a block's footprint once.
#pragma once

#include "gpu/kernels/convolve.h"

namespace tessera {

template <class SourcePixel, class TargetPixel> struct NaiveConvolve {
    ConvolveOperands<SourcePixel, TargetPixel> operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int x = block.index().x * block.size().x + thread.x;
            const int y = block.index().y * block.size().y + thread.y;
            if (thread.branch(!operands.target.contains(x, y)))
                return; // the grid is rounded up to whole blocks

            const Taps &taps = operands.taps;
            const int left = x + operands.originX - taps.anchorX;
            const int top = y + operands.originY - taps.anchorY;
            Accumulator<SourcePixel> sum{};
            for (int v = 0; v < taps.height; ++v)
                for (int u = 0; u < taps.width; ++u)
                    multiplyAdd(sum, taps.at(u, v), widen(thread.load(operands.source, left + u, top + v)));
            storeOutput(thread, operands, x, y, sum);
        });
    }
};

} // namespace tessera
