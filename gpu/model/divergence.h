// A warp diverges where a branch sends some of its lanes one way and some the other: it then runs both ways, one after
// the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::model {

// Warps of 32 in which some threads are active and some not; active[i] is thread i. The last warp may be short.
int divergentWarps(const std::vector<bool> &active);

// The tree reductions in shared memory that differ only in which threads add in a round.
enum class ReductionTree : std::uint8_t {
    Interleaved, // tid % (2 s) == 0 adds word tid + s to word tid; s = 1, 2, 4, ...
    Strided,     // the same words, but by threads 0, 1, 2, ...: word 2 s tid + s to word 2 s tid
    Sequential   // tid < s adds word tid + s to word tid; s = threads / 2, ..., 2, 1
};

std::string_view reductionTreeName(ReductionTree tree);

struct ReductionRound {
    int stride = 1;         // s
    int activeThreads = 0;  //
    int divergentWarps = 0; //
    int passes = 0;         // of shared memory to read both words of every addition, summed over the warps
    int leastPasses = 0;    // what that would be without bank conflicts
};

// `threads`: of the block, a power of two; one 4-byte word each.
std::vector<ReductionRound> reductionRounds(ReductionTree tree, int threads);

int totalDivergence(const std::vector<ReductionRound> &rounds);

} // namespace tessera::model
