// V6: the last warp exchanges registers by shuffles.
//
// V5 wastes ten trips to shared memory and ten barriers of a warp on its last five rounds. A shuffle hands lane i the
// register of lane i + distance: five instructions and five foldings are left. Lanes whose partner lies outside the
// warp keep their own value; what they compute is not used. Every lane of a warp must take part in a shuffle, so warps
// without values of their own hold the identity and go along.
#pragma once

#include "gpu/kernels/ladder/v5_unrolled.h"
#include "gpu/kernels/reduce.h"

namespace tessera {

// Folds values[0..63] into thread 0's register. The block's barrier stands before.
template <class Fold, class Block, class Value>
GPU_CODE inline void foldLastWarpByShuffles(Block &block, const SharedArray<float> &values, Value &value) {
    block.each([&](auto thread) {
        if (thread.warp != 0)
            return;
        const float near = thread.load(values, thread.lane);
        const float far = thread.load(values, thread.lane + 32);
        value[thread] = Fold{}(near, far);
    });
    warpReduce(block, value, Fold{});
}

template <class Fold, int Threads> struct ReduceShuffle {
    static constexpr int maximumThreads = Threads; // exactly so many

    ReduceOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto values = stageTwo<Fold>(block, operands.source);
        foldDownTo64<Fold, Threads / 2>(block, values);
        auto value = block.perThread(Fold::template identity<float>());
        foldLastWarpByShuffles<Fold>(block, values, value);
        storeRegister(block, value, operands.partial);
    }
};

} // namespace tessera
