// V0: a tree in shared memory, neighbours first. In the round of distance s = 1, 2, 4, ... thread t folds elements t
// and t + s where t is a multiple of 2 s.
//
// One thread with a loop over everything would leave the GPU idle; the tree takes log2(threads) rounds. But the working
// threads lie scattered: in the first round every warp works with half of its lanes, then a quarter, ... and in the
// first five rounds no warp is free. And the remainder % of a distance that the compiler does not know is slow.
#pragma once

#include "gpu/kernels/ladder/common.h"

namespace tessera {

template <class Fold> struct ReduceInterleaved {
    ReduceOperands operands;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        auto values = stageOne<Fold>(block, operands.source);
        for (int s = 1; s < block.threads(); s *= 2)
            block.phase([&](auto thread) {
                if (thread.branch(thread.index % (2 * s) == 0))
                    foldPair<Fold>(thread, values, thread.index, s);
            });
        storePartial(block, values, operands.partial);
    }
};

} // namespace tessera
