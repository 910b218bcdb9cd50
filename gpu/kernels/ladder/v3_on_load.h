// V3: the first folding happens on the way from global to shared memory: a block takes two elements a thread.
//
// V2 wastes half of its threads, which load one element and then rest. Here every thread folds at least once, and half
// as many blocks do the work. But the last five rounds still keep the whole block at barriers for a single warp, whose
// lanes differ in each of them.
#pragma once

#include "gpu/kernels/ladder/common.h"

namespace tessera {

template <class Fold> struct ReduceOnLoad {
    ReduceOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto values = stageTwo<Fold>(block, operands.source);
        for (int s = block.threads() / 2; s > 0; s /= 2)
            block.phase([&](auto thread) {
                if (thread.branch(thread.index < s))
                    foldPair<Fold>(thread, values, thread.index, s);
            });
        storePartial(block, values, operands.partial);
    }
};

} // namespace tessera
