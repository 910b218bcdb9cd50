// Tiled convolution: a block stages the footprint of its whole tile, halo included, in shared memory once; every tap
// is then read from there.
//
// What naive.h wastes: each picture value comes through the global path once a tap. Here it comes once a block, and
// values in the halo once for each of the few blocks that share it: (tile + kernel - 1)^2 / tile^2 reads an output.
// What is still wasted: every multiply-add needs a shared load of its own, and a multiprocessor delivers 32 words a
// clock against 128 multiply-adds, which caps this form at a quarter of the arithmetic peak. blocked.h lets a thread
// keep several outputs in registers so that one load feeds many of them.
#pragma once

#include "gpu/kernels/convolve.h"

namespace tessera {

template <class SourcePixel, class TargetPixel> struct TiledConvolve {
    using Target = TargetPixel;
    using Staged = SourcePixel; // kept as stored: an 8-bit tile takes a quarter of a float one

    ConvolveOperands<SourcePixel, TargetPixel> operands;

    static std::size_t sharedBytes(Extent tile, int tapsWidth, int tapsHeight) {
        return sizeof(Staged) * std::size_t(tile.x + tapsWidth - 1) * std::size_t(tile.y + tapsHeight - 1);
    }

    template <class Block> GPU_CODE void operator()(Block &block) const { tile(block, block.index(), NoSink{}); }

    template <class Block, class Sink> GPU_CODE void tile(Block &block, Extent index, const Sink &sink) const {
        const Taps &taps = operands.taps;
        const Extent tile = block.size();
        const int footprintWidth = tile.x + taps.width - 1;
        const int footprintHeight = tile.y + taps.height - 1;
        const int tileX = index.x * tile.x;
        const int tileY = index.y * tile.y;
        auto footprint = block.template shared<Staged>(footprintWidth * footprintHeight);

        // Every thread takes part here, also those that have no output: the tile at the rim needs them as loaders.
        block.phase([&](auto thread) {
            const int left = tileX + operands.originX - taps.anchorX;
            const int top = tileY + operands.originY - taps.anchorY;
            for (int v = thread.y; v < footprintHeight; v += tile.y) {
                thread.reconverge(); // the first lanes of a row load the halo as well
                for (int u = thread.x; u < footprintWidth; u += tile.x)
                    thread.store(footprint, v * footprintWidth + u, thread.load(operands.source, left + u, top + v));
            }
        });

        block.each([&](auto thread) {
            const int x = tileX + thread.x;
            const int y = tileY + thread.y;
            if (thread.branch(!operands.target.contains(x, y)))
                return;
            Accumulator<SourcePixel> sum{};
            // Running indices: v * width + u would cost every thread an addition or two a tap (1.2 times the time).
            int tap = 0;
            int pixel = thread.y * footprintWidth + thread.x;
            for (int v = 0; v < taps.height; ++v, pixel += tile.x - 1)
                for (int u = 0; u < taps.width; ++u)
                    multiplyAdd(sum, taps.value[tap++], widen(thread.load(footprint, pixel++)));
            storeOutput(thread, operands, x, y, sum, sink);
        });
    }
};

} // namespace tessera
