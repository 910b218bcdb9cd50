// Counting the elements above a threshold, and marking them, by ballot.
//
//   CountAboveAtomic  every hit adds one to a counter in global memory: where many are above, all lanes of the GPU meet
//                     at one address. So it is written; since the address is the same for all lanes, nvcc gathers a
//                     warp's additions with a vote of its own (VOTEU, UPOPC in the machine code), and the time is that
//                     of the next step
//   CountAboveBallot  a warp votes first: one word holds its 32 comparisons, and one lane adds how many bits are set
//   CountAboveGrid    each warp adds up its votes in a register while it walks the array in steps of the grid, and goes
//                     to memory once
#pragma once

#include "gpu/kernels/bits.h"
#include "gpu/kernels/block.h"

namespace tessera {

struct CountAboveOperands {
    ImageView<const float> source;       // one row
    ImageView<unsigned long long> count; // one value, which must be zero before
    float threshold;                     // greater values count; NaN is not greater
};

// The counter's zero, in a launch before the counting.
struct ClearCount {
    ImageView<unsigned long long> count;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            if (thread.index < count.width)
                thread.store(count, thread.index, 0, 0ull);
        });
    }
};

struct CountAboveAtomic {
    CountAboveOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int i = block.index().x * block.threads() + thread.index;
            if (i < operands.source.width && thread.load(operands.source, i, 0) > operands.threshold)
                thread.atomicAdd(operands.count, 0, 0, 1ull);
        });
    }
};

// The votes of a block's warps on its threads' elements; lanes beyond the row's end vote no.
template <class Block>
GPU_CODE inline auto votesAbove(Block &block, const ImageView<const float> &source, float threshold, int start) {
    auto above = block.perThread(false);
    block.each([&](auto thread) {
        const int i = start + thread.index;
        above[thread] = i < source.width && thread.load(source, i, 0) > threshold;
    });
    return block.ballot(above);
}

struct CountAboveBallot {
    CountAboveOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        const auto votes = votesAbove(block, operands.source, operands.threshold, block.index().x * block.threads());
        block.each([&](auto thread) {
            if (thread.lane == 0 && votes[thread] != 0)
                thread.atomicAdd(operands.count, 0, 0, static_cast<unsigned long long>(countBits(votes[thread])));
        });
    }
};

struct CountAboveGrid {
    CountAboveOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto total = block.perThread(0u);
        const int step = block.grid().x * block.threads();
        for (int start = block.index().x * block.threads(); start < operands.source.width; start += step) {
            const auto votes = votesAbove(block, operands.source, operands.threshold, start);
            block.each([&](auto thread) { total[thread] += unsigned(countBits(votes[thread])); });
        }
        block.each([&](auto thread) {
            if (thread.lane == 0 && total[thread] != 0)
                thread.atomicAdd(operands.count, 0, 0, static_cast<unsigned long long>(total[thread]));
        });
    }
};

// One bit an element: bit i % 32 of word i / 32 is set where element i is above the threshold. `mask` has a word for
// each 32 elements begun; blocks are whole warps.
struct MarkAbove {
    ImageView<const float> source;
    ImageView<unsigned> mask;
    float threshold;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        const auto votes = votesAbove(block, source, threshold, block.index().x * block.threads());
        block.each([&](auto thread) {
            const int word = (block.index().x * block.threads() + thread.index) / warpSize_;
            if (thread.lane == 0 && word < mask.width)
                thread.store(mask, word, 0, votes[thread]);
        });
    }
};

} // namespace tessera
