// Tiled convolution, four outputs a thread, staged and read in groups of four pixels.
//
// What tiled.h wastes: a shared load for every multiply-add. Here one 16-byte load brings four pixels that serve up to
// sixteen multiply-adds, four taps for each of four outputs, so that shared memory delivers four times what the
// arithmetic takes at large kernels. What is left: rows of the window are still read again for each output row;
// blocked.h keeps several rows in registers as well.
#pragma once

#include "gpu/kernels/naive_float4.h"

namespace tessera {

template <class SourcePixel, class TargetPixel> struct TiledVectorConvolve {
    using Target = TargetPixel;
    using Piece = PixelPiece<SourcePixel>;
    static constexpr int minimumBlocks = 1; // four sums a thread want registers before occupancy

    ConvolveOperands<SourcePixel, TargetPixel> operands;

    // Groups a footprint row takes: the tile, the halo, and up to three pixels before it for alignment.
    GPU_CODE static constexpr int footprintGroups(int threadsX, int tapsWidth) {
        return threadsX + (tapsWidth - 1 + (pixelsPerGroup - 1) + pixelsPerGroup - 1) / pixelsPerGroup;
    }
    static constexpr std::size_t sharedBytes(Extent threads, int tapsWidth, int tapsHeight) {
        return sizeof(SourcePixel) * pixelsPerGroup * std::size_t(footprintGroups(threads.x, tapsWidth)) *
               std::size_t(threads.y + tapsHeight - 1);
    }

    template <class Block> GPU_CODE void operator()(Block &block) const { tile(block, block.index(), NoSink{}); }

    template <class Block, class Sink> GPU_CODE void tile(Block &block, Extent index, const Sink &sink) const {
        const Taps &taps = operands.taps;
        const Extent threads = block.size();
        const int groups = footprintGroups(threads.x, taps.width);
        const int rows = threads.y + taps.height - 1;
        const int tileX = index.x * threads.x * pixelsPerGroup;
        const int tileY = index.y * threads.y;
        const int offset = operands.originX - taps.anchorX;
        const int shift = offset - alignDown(offset);
        auto footprint = block.template shared<Piece>(groups * Piece::perGroup * rows);

        block.phase([&](auto thread) {
            const bool aligned = groupsAligned(operands.source.inside);
            const int left = tileX + offset - shift;
            const int top = tileY + operands.originY - taps.anchorY;
            for (int v = thread.y; v < rows; v += threads.y) {
                thread.reconverge();
                for (int g = thread.x; g < groups; g += threads.x) {
                    SourcePixel group[pixelsPerGroup];
                    loadGroup(thread, operands.source, aligned, left + g * pixelsPerGroup, top + v, group);
                    stage(thread, footprint, (v * groups + g) * Piece::perGroup, group);
                }
            }
        });

        block.each([&](auto thread) {
            const int x = tileX + thread.x * pixelsPerGroup;
            const int y = tileY + thread.y;
            if (thread.branch(!operands.target.contains(x, y)))
                return;
            Accumulator<SourcePixel> sum[pixelsPerGroup] = {};
            for (int v = 0; v < taps.height; ++v) {
                int place = ((thread.y + v) * groups + thread.x) * Piece::perGroup;
                for (int u = -shift; u < taps.width + pixelsPerGroup - 1; u += pixelsPerGroup) {
                    SourcePixel group[pixelsPerGroup];
                    fetch(thread, footprint, place, group);
                    addGroup(sum, group, taps, u, v);
                    place += Piece::perGroup;
                }
            }
            storeOutputs(thread, operands, x, y, sum, sink);
        });
    }

private:
    template <class Thread>
    GPU_CODE static void stage(const Thread &thread, const SharedArray<Piece> &footprint, int index,
                               const SourcePixel (&group)[pixelsPerGroup]) {
        for (int i = 0; i < Piece::perGroup; ++i) {
            Piece piece;
            for (int j = 0; j < Piece::pixels; ++j)
                piece.pixel[j] = group[i * Piece::pixels + j];
            thread.store(footprint, index + i, piece);
        }
    }
    template <class Thread>
    GPU_CODE static void fetch(const Thread &thread, const SharedArray<Piece> &footprint, int index,
                               SourcePixel (&group)[pixelsPerGroup]) {
        for (int i = 0; i < Piece::perGroup; ++i) {
            const Piece piece = thread.load(footprint, index + i);
            for (int j = 0; j < Piece::pixels; ++j)
                group[i * Piece::pixels + j] = piece.pixel[j];
        }
    }
};

} // namespace tessera
