// V4: once 64 values are left, one warp finishes them, without the block's barriers, its rounds written out.
//
// V3 wastes its last rounds: barriers of the whole block, and a comparison, for the work of one warp. Here all 32 lanes
// of that warp go through every round in step; what the upper lanes compute is not used, but costs nothing, since a
// warp takes one instruction for all. The lanes need a barrier still, only their own: before Volta a warp ran in
// lockstep and programs left it out, today its lanes may run apart. Between the reading and the writing of a round
// there must be one too, as a lane's neighbour reads the word that the lane is about to replace.
#pragma once

#include "gpu/kernels/ladder/common.h"

namespace tessera {

// Folds values[0..63] into thread 0's register. The block's barrier stands before.
template <class Fold, class Block, class Value>
GPU_CODE inline void foldLastWarp(Block &block, const SharedArray<float> &values, Value &value) {
    block.warpPhase([&](auto thread) {
        if (thread.warp != 0)
            return;
        const float near = thread.load(values, thread.lane);
        const float far = thread.load(values, thread.lane + 32);
        value[thread] = Fold{}(near, far);
    });
    const auto round = [&](int distance) {
        block.warpPhase([&](auto thread) {
            if (thread.warp == 0)
                thread.store(values, thread.lane, value[thread]);
        });
        block.warpPhase([&](auto thread) {
            if (thread.warp == 0)
                value[thread] = Fold{}(value[thread], thread.load(values, thread.lane + distance));
        });
    };
    round(16);
    round(8);
    round(4);
    round(2);
    round(1);
}

template <class Fold> struct ReduceLastWarp {
    ReduceOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto values = stageTwo<Fold>(block, operands.source);
        for (int s = block.threads() / 2; s > 32; s /= 2)
            block.phase([&](auto thread) {
                if (thread.branch(thread.index < s))
                    foldPair<Fold>(thread, values, thread.index, s);
            });
        auto value = block.perThread(Fold::template identity<float>());
        foldLastWarp<Fold>(block, values, value);
        storeRegister(block, value, operands.partial);
    }
};

} // namespace tessera
