// Copies of the product's kernels into which one fault can be planted. With Plant::Nothing each is the original, access
// for access: mutants_test checks that too, so that the copies do not grow old.
#pragma once

#include "gpu/kernels/naive_float4.h"
#include "gpu/kernels/reduce.h"
#include "gpu/kernels/tiled.h"

namespace tessera::sim::mutants {

enum class Plant {
    Nothing,
    // naive
    NoBoundsCheck,
    SwappedTaps,
    SwappedPicture,
    SwappedTarget,
    // tiled
    NoBarrier,
    HaloTooSmall,
    HaloShifted,
    WrongRowLength,
    IdleThreadsLoadNothing,
    // naive-float4
    NoAlignmentCheck,
    NoGroupAlignment,
    NoTailCheck,
    // reduction of a block
    ZeroAsIdentity,
    NoBarrierAfterScratch,
    AllScratchRead,
    HalfTheOffsets,
    // histogram
    PlainInsteadOfAtomic,
    CountersNotCleared
};

using Grey = Pixel<float, 1>;

// gpu/kernels/naive.h
template <Plant plant> struct Naive {
    ConvolveOperands<Grey, Grey> operands;

    template <class Block> void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int x = block.index().x * block.size().x + thread.x;
            const int y = block.index().y * block.size().y + thread.y;
            if (plant != Plant::NoBoundsCheck && thread.branch(!operands.target.contains(x, y)))
                return;
            const int left = x + operands.originX - operands.taps.anchorX;
            const int top = y + operands.originY - operands.taps.anchorY;
            const ImageView<const Grey> &inside = operands.source.inside;
            const bool whole = inside.contains(left, top) &&
                               inside.contains(left + operands.taps.width - 1, top + operands.taps.height - 1);
            const auto sum = thread.branch(whole) ? sumOfWindow(thread, inside, left, top)
                                                  : sumOfWindow(thread, operands.source, left, top);
            if (plant == Plant::SwappedTarget)
                storeOutput(thread, operands, y, x, sum);
            else
                storeOutput(thread, operands, x, y, sum);
        });
    }

private:
    template <class Thread, class View>
    Accumulator<Grey> sumOfWindow(const Thread &thread, const View &view, int left, int top) const {
        const Taps &taps = operands.taps;
        Accumulator<Grey> sum{};
        for (int v = 0; v < taps.height; ++v)
            for (int u = 0; u < taps.width; ++u) {
                const float tap = plant == Plant::SwappedTaps ? taps.at(v, u) : taps.at(u, v);
                const int px = plant == Plant::SwappedPicture ? left + v : left + u;
                const int py = plant == Plant::SwappedPicture ? top + u : top + v;
                multiplyAdd(sum, tap, widen(thread.load(view, px, py)));
            }
        return sum;
    }
};

// gpu/kernels/tiled.h
template <Plant plant> struct Tiled {
    ConvolveOperands<Grey, Grey> operands;

    template <class Block> void operator()(Block &block) const {
        const Taps &taps = operands.taps;
        const Extent tile = block.size();
        const int footprintWidth = tile.x + taps.width - 1;
        const int footprintHeight = tile.y + taps.height - 1;
        const int tileX = block.index().x * tile.x;
        const int tileY = block.index().y * tile.y;
        const int rowLength = plant == Plant::WrongRowLength ? tile.x : footprintWidth;
        const int staged = plant == Plant::HaloTooSmall ? footprintWidth - 1 : footprintWidth;
        auto footprint = block.template shared<Grey>(footprintWidth * footprintHeight);

        const auto stage = [&](auto thread) {
            if (plant == Plant::IdleThreadsLoadNothing && !operands.target.contains(tileX + thread.x, tileY + thread.y))
                return;
            const int left = tileX + operands.originX - taps.anchorX + (plant == Plant::HaloShifted ? 1 : 0);
            const int top = tileY + operands.originY - taps.anchorY;
            for (int v = thread.y; v < footprintHeight; v += tile.y) {
                thread.reconverge();
                for (int u = thread.x; u < staged; u += tile.x)
                    thread.store(footprint, v * rowLength + u, thread.load(operands.source, left + u, top + v));
            }
        };
        if (plant == Plant::NoBarrier)
            block.each(stage);
        else
            block.phase(stage);

        block.each([&](auto thread) {
            const int x = tileX + thread.x;
            const int y = tileY + thread.y;
            if (thread.branch(!operands.target.contains(x, y)))
                return;
            Accumulator<Grey> sum{};
            for (int v = 0; v < taps.height; ++v)
                for (int u = 0; u < taps.width; ++u)
                    multiplyAdd(sum, taps.at(u, v),
                                widen(thread.load(footprint, (thread.y + v) * rowLength + thread.x + u)));
            storeOutput(thread, operands, x, y, sum);
        });
    }
};

// gpu/kernels/naive_float4.h with vector_access.h
template <Plant plant> struct NaiveVector {
    using Piece = PixelPiece<Grey>;

    ConvolveOperands<Grey, Grey> operands;

    template <class Block> void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int x = (block.index().x * block.size().x + thread.x) * pixelsPerGroup;
            const int y = block.index().y * block.size().y + thread.y;
            if (thread.branch(!operands.target.contains(x, y)))
                return;
            const Taps &taps = operands.taps;
            const bool aligned = plant == Plant::NoAlignmentCheck || groupsAligned(operands.source.inside);
            const int offset = operands.originX - taps.anchorX;
            const int shift = plant == Plant::NoGroupAlignment ? 0 : offset - alignDown(offset);
            Accumulator<Grey> sum[pixelsPerGroup] = {};
            for (int v = 0; v < taps.height; ++v)
                for (int u = -shift; u < taps.width + pixelsPerGroup - 1; u += pixelsPerGroup) {
                    Grey group[pixelsPerGroup];
                    loadFour(thread, aligned, x + offset + u, y + operands.originY - taps.anchorY + v, group);
                    addGroup(sum, group, taps, u, v);
                }
            storeOutputs(thread, operands, x, y, sum);
        });
    }

private:
    template <class Thread>
    void loadFour(const Thread &thread, bool aligned, int x, int y, Grey (&group)[pixelsPerGroup]) const {
        const auto &inside = operands.source.inside;
        thread.step();
        const bool tail = plant != Plant::NoTailCheck && x + pixelsPerGroup > inside.width;
        if (aligned && x >= 0 && !tail && y >= 0 && y < inside.height) {
            const Piece piece = thread.template loadVector<Piece>(inside, x, y);
            std::copy_n(piece.pixel, pixelsPerGroup, group);
        } else {
            for (int i = 0; i < pixelsPerGroup; ++i)
                group[i] = thread.load(operands.source, x + i, y);
        }
    }
};

// The largest value of a row, a block each, in the manner of gpu/kernels/reduce.h.
template <Plant plant> struct Largest {
    ImageView<const float> values;
    ImageView<float> target;

    template <class Block> void operator()(Block &block) const {
        const float identity = plant == Plant::ZeroAsIdentity ? 0.0f : ChannelTotals<float>::lowest();
        auto value = block.perThread(identity);
        auto scratch = block.template shared<float>(warpSize_);
        block.each([&](auto thread) {
            const int i = block.index().x * block.threads() + thread.index;
            if (i < values.width)
                value[thread] = thread.load(values, i, 0);
        });
        reduceWarp(block, value);
        const auto keep = [&](auto thread) {
            if (thread.lane == 0)
                thread.store(scratch, thread.warp, value[thread]);
        };
        if (plant == Plant::NoBarrierAfterScratch)
            block.each(keep);
        else
            block.phase(keep);
        const int warps = plant == Plant::AllScratchRead ? warpSize_ : ceilDivide(block.threads(), warpSize_);
        block.phase([&](auto thread) {
            if (thread.warp == 0)
                value[thread] = thread.lane < warps ? thread.load(scratch, thread.lane) : identity;
        });
        reduceWarp(block, value);
        block.each([&](auto thread) {
            if (thread.index == 0)
                thread.store(target, block.index().x, 0, value[thread]);
        });
    }

private:
    template <class Block, class Value> static void reduceWarp(Block &block, Value &value) {
        for (int offset = plant == Plant::HalfTheOffsets ? warpSize_ / 4 : warpSize_ / 2; offset > 0; offset /= 2) {
            const auto other = block.shuffleDown(value, offset);
            block.each([&](auto thread) { value[thread] = Maximum{}(value[thread], other[thread]); });
        }
    }
};

// Counts of 256 levels in shared memory, then in global memory, in the manner of gpu/kernels/histogram.h.
template <Plant plant> struct CountLevels {
    ImageView<const std::uint8_t> source;
    ImageView<unsigned long long> counts;

    template <class Block> void operator()(Block &block) const {
        auto mine = block.template shared<unsigned>(256);
        block.phase([&](auto thread) {
            if (plant != Plant::CountersNotCleared)
                for (int i = thread.index; i < 256; i += block.threads())
                    thread.store(mine, i, 0u);
        });
        block.phase([&](auto thread) {
            for (int i = thread.index; i < source.width; i += block.threads()) {
                const int level = thread.load(source, i, 0);
                if (plant == Plant::PlainInsteadOfAtomic)
                    thread.store(mine, level, thread.load(mine, level) + 1u);
                else
                    thread.atomicAdd(mine, level, 1u);
            }
        });
        block.each([&](auto thread) {
            for (int i = thread.index; i < 256; i += block.threads())
                thread.atomicAdd(counts, i, 0, static_cast<unsigned long long>(thread.load(mine, i)));
        });
    }
};

} // namespace tessera::sim::mutants
