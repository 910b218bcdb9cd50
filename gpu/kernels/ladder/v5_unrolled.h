// V5: the number of threads is known when the kernel is compiled, and no loop is left.
//
// V4 wastes instructions around the few that fold: counting s down, comparing it, jumping back, computing addresses.
// Here every distance is a constant, and a round that the block is too small for does not exist.
#pragma once

#include "gpu/kernels/ladder/v4_last_warp.h"

namespace tessera {

// The rounds of distance `Distance`, Distance / 2, ..., 64; leaves values[0..63].
template <class Fold, int Distance, class Block>
GPU_CODE inline void foldDownTo64(Block &block, const SharedArray<float> &values) {
    if constexpr (Distance > 32) {
        block.phase([&](auto thread) {
            if (thread.branch(thread.index < Distance))
                foldPair<Fold>(thread, values, thread.index, Distance);
        });
        foldDownTo64<Fold, Distance / 2>(block, values);
    }
}

template <class Fold, int Threads> struct ReduceUnrolled {
    static constexpr int maximumThreads = Threads; // exactly so many

    ReduceOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto values = stageTwo<Fold>(block, operands.source);
        foldDownTo64<Fold, Threads / 2>(block, values);
        auto value = block.perThread(Fold::template identity<float>());
        foldLastWarp<Fold>(block, values, value);
        storeRegister(block, value, operands.partial);
    }
};

} // namespace tessera
