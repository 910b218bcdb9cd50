// V1: the same tree, worked by neighbouring threads: thread t folds elements 2 s t and 2 s t + s.
//
// V0 wastes lanes: its working threads are spread over all warps. Here the first threads / (2 s) threads work, so that
// whole warps either work or rest, until fewer than 32 threads are left. But neighbouring lanes now touch words 2 s
// apart: up to 2 s of them share a bank, and shared memory serves one word of a bank at a time.
#pragma once

#include "gpu/kernels/ladder/common.h"

namespace tessera {

template <class Fold> struct ReduceStrided {
    ReduceOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto values = stageOne<Fold>(block, operands.source);
        for (int s = 1; s < block.threads(); s *= 2)
            block.phase([&](auto thread) {
                const int i = 2 * s * thread.index;
                if (thread.branch(i < block.threads()))
                    foldPair<Fold>(thread, values, i, s);
            });
        storePartial(block, values, operands.partial);
    }
};

} // namespace tessera
