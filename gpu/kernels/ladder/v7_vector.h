// V7: as many blocks as the GPU holds at once, each thread folding four elements a load in steps of the whole grid.
//
// V6 wastes what it spends once a block: starting it, the tree, the barriers, for two elements a thread. Here the tree
// is climbed once for all elements of a block, whose number no longer grows with the array, and a 128-bit load moves
// what took four. Elements before the first 16-byte boundary and after the last are taken one by one, so that any start
// and any length will do. What is left is the memory's own speed.
#pragma once

#include "gpu/kernels/aligned_part.h"
#include "gpu/kernels/ladder/v6_shuffle.h"

namespace tessera {

template <class Fold, int Threads> struct ReduceVector {
    static constexpr int maximumThreads = Threads; // exactly so many

    ReduceOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto value = block.perThread(Fold::template identity<float>());
        const AlignedPart<const float> part(operands.source);
        const int step = block.grid().x * Threads;
        block.each([&](auto thread) {
            const int first = block.index().x * Threads + thread.index;
            constexpr float identity = Fold::template identity<float>();
            Pixel<float, 4> four{
                {identity, identity, identity, identity}}; // four chains that need not wait for another
            for (int i = first; i < part.vectors.width; i += step) {
                const Pixel<float, 4> next = thread.load(part.vectors, i, 0);
                for (int k = 0; k < 4; ++k)
                    four.channel[k] = Fold{}(four.channel[k], next.channel[k]);
            }
            float mine = Fold{}(Fold{}(four.channel[0], four.channel[1]), Fold{}(four.channel[2], four.channel[3]));
            if (first < part.loose()) // fewer than a block has threads
                mine = Fold{}(mine, thread.load(operands.source, part.looseElement(first), 0));
            value[thread] = mine;
        });

        auto values = block.template shared<float>(Threads);
        block.phase([&](auto thread) { thread.store(values, thread.index, value[thread]); });
        foldDownTo64<Fold, Threads / 2>(block, values);
        block.each([&](auto thread) { value[thread] = Fold::template identity<float>(); });
        foldLastWarpByShuffles<Fold>(block, values, value);
        storeRegister(block, value, operands.partial);
    }
};

} // namespace tessera
