// V2: far partners first: in the round of distance s = threads / 2, ..., 2, 1 thread t < s folds elements t and t + s.
//
// V1 wastes passes through shared memory: its lanes are 2 s words apart and meet on banks. Here neighbouring lanes
// touch neighbouring words at every distance, so that no two meet. But half of the threads only ever load one element,
// and rest from the first round on.
#pragma once

#include "gpu/kernels/ladder/common.h"

namespace tessera {

template <class Fold> struct ReduceSequential {
    ReduceOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto values = stageOne<Fold>(block, operands.source);
        for (int s = block.threads() / 2; s > 0; s /= 2)
            block.phase([&](auto thread) {
                if (thread.branch(thread.index < s))
                    foldPair<Fold>(thread, values, thread.index, s);
            });
        storePartial(block, values, operands.partial);
    }
};

} // namespace tessera
