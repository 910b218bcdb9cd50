// The tiles of fetched_tile.h together with the statistics of what they make: float, one channel.
//
// What with_statistics.h wastes here: its blocks stay, and the tiles want none of that. Staying alone cost patches a
// sixth of their time (tests/bench/gpu-notes.md), and totals that live across tiles take registers from the sums. Here
// a block makes its own tile, as without statistics, leaves one row of totals and ends; a second, small launch adds the
// rows up (JoinTotals). As what a block reads is fetched without registers, those of the totals cost it hardly
// anything.
//
// A thread adds its few outputs in six registers and asks nothing: NaN and infinity show in the sum, values above a
// threshold in the maximum, and how many outputs it has follows from its place. Only where these say so it reads its
// own outputs again, one by one. Clipped values are too common for that: they are counted as they come.
//
// GPU-only, compute capability 9.0: the simulator has no twin of it.
#pragma once

#include "gpu/kernels/asynchronous.h"
#include "gpu/kernels/fetched_tile.h"
#include "gpu/kernels/reduce.h"

namespace tessera {

// What a block leaves to JoinTotals, and a block's threads there.
using BlockTotals = ChannelTotals<float, unsigned>;
constexpr int joiningThreads = 128;

#if defined(__CUDACC__)

struct ThreadTotals {
    double sum = 0, sumOfSquares = 0;
    float minimum = largestValue<float>(), maximum = lowestValue<float>();
    unsigned clipped = 0; // low ones, and 2^16 for each high one

    __device__ void add(float value) {
        const double wide = value;
        sum += wide;
        sumOfSquares += wide * wide;
        minimum = fminf(minimum, value);
        maximum = fmaxf(maximum, value);
        clipped += (value <= 0.0f ? 1u : 0u) + (value >= BlockTotals::white() ? 0x10000u : 0u);
    }
    // Whether nothing else is to be counted; see FloatGroup.
    __device__ bool tellAll(float threshold) const {
        return (std::bit_cast<unsigned long long>(sum) >> 52 & 0x7ffu) != 0x7ffu && maximum <= threshold;
    }
    __device__ BlockTotals of(unsigned count) const {
        return {sum, sumOfSquares, minimum, maximum, count, 0, 0, clipped & 0xffffu, clipped >> 16, 0};
    }
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// Floats as integers of the same order, for instructions that know integers only. There and back.
__device__ inline int inOrder(int bits) { return bits ^ (bits >> 31 & 0x7fffffff); }
__device__ inline float warpMinimum(float value) {
    return __int_as_float(inOrder(__reduce_min_sync(~0u, inOrder(__float_as_int(value)))));
}
__device__ inline float warpMaximum(float value) {
    return __int_as_float(inOrder(__reduce_max_sync(~0u, inOrder(__float_as_int(value)))));
}

// A warp's totals: in lane 0 all but the sum of squares, which lane 16 has in the place of the sum. Half the lanes add
// one of the two sums each, which saves half of the exchanges. A warp has less than 2^16 values.
__device__ inline void addLanes(BlockTotals &totals, int lane) {
    const bool upper = lane >= warpSize_ / 2;
    double mine = upper ? totals.sumOfSquares : totals.sum;
    mine += __shfl_xor_sync(~0u, upper ? totals.sum : totals.sumOfSquares, warpSize_ / 2);
    GPU_UNROLL for (int offset = warpSize_ / 4; offset > 0; offset /= 2) mine += __shfl_xor_sync(~0u, mine, offset);
    totals.sum = mine;
    totals.minimum = warpMinimum(totals.minimum);
    totals.maximum = warpMaximum(totals.maximum);
    totals.finite = __reduce_add_sync(~0u, totals.finite);
    const unsigned clipped = __reduce_add_sync(~0u, totals.clippedLow + (totals.clippedHigh << 16));
    totals.clippedLow = clipped & 0xffffu;
    totals.clippedHigh = clipped >> 16;
    if (__any_sync(~0u, (totals.nan | totals.infinite | totals.above) != 0)) {
        totals.nan = __reduce_add_sync(~0u, totals.nan);
        totals.infinite = __reduce_add_sync(~0u, totals.infinite);
        totals.above = __reduce_add_sync(~0u, totals.above);
    }
}

// A block's row, from its warps' totals as addLanes() leaves them.
__device__ inline void storeTotals(BlockTotals &row, const BlockTotals &totals, int lane) {
    if (lane == warpSize_ / 2)
        row.sumOfSquares = totals.sum;
    if (lane != 0)
        return;
    row.sum = totals.sum;
    row.minimum = totals.minimum;
    row.maximum = totals.maximum;
    row.finite = totals.finite;
    row.nan = totals.nan;
    row.infinite = totals.infinite;
    row.clippedLow = totals.clippedLow;
    row.clippedHigh = totals.clippedHigh;
    row.above = totals.above;
}

#endif

// `Kernel`: a FetchedTile of one channel. Block (x, y) fills row y * grid.x + x of `rows`.
template <class Kernel> struct TileStatistics {
    static constexpr int maximumThreads = Kernel::maximumThreads;
    static constexpr int minimumBlocks = Kernel::minimumBlocks;
    static constexpr int warps = maximumThreads / warpSize_;

    Kernel kernel;
    BlockTotals *rows;
    float threshold = largestValue<float>();

    template <class Block> __device__ void operator()(Block &) const {
#if __CUDA_ARCH__ >= 900
        __shared__ BlockTotals ofWarps[warps];
        const int warp = int(threadIdx.x) / warpSize_, lane = int(threadIdx.x) % warpSize_;
        ThreadTotals totals;
        kernel.tile(Gather{totals});
        BlockTotals mine = checked(totals, warp, lane);
        addLanes(mine, lane);
        storeTotals(ofWarps[warp], mine, lane);
        __syncthreads();
        if (warp > 0)
            return;
        mine = lane < warps ? ofWarps[lane] : BlockTotals::identity();
        addLanes(mine, lane);
        storeTotals(rows[blockIdx.y * gridDim.x + blockIdx.x], mine, lane);
#else
        __trap(); // the planner sees to it
#endif
    }

private:
    struct Gather {
        ThreadTotals &totals;
        __device__ void add(float value) const { totals.add(value); }
        __device__ void addRun(const float (&values)[fetchedRun]) const {
            GPU_UNROLL for (int i = 0; i < fetchedRun; ++i) totals.add(values[i]);
        }
    };

    // The totals of the thread's patch, from a second look at each output where the first does not tell all.
    __device__ BlockTotals checked(const ThreadTotals &totals, int warp, int lane) const {
        const auto &target = kernel.operands.target;
        const int x = (int(blockIdx.x) * warpSize_ + lane) * Kernel::pixels;
        const int y = (int(blockIdx.y) * warps + warp) * Kernel::threadRows;
        const int columns = min(Kernel::pixels, target.width - x), height = min(Kernel::threadRows, target.height - y);
        if (totals.tellAll(threshold))
            return totals.of(columns > 0 && height > 0 ? unsigned(columns * height) : 0u);
        BlockTotals again = BlockTotals::identity();
        GPU_ROLL for (int row = 0; row < height; ++row) GPU_ROLL for (int column = 0; column < columns; ++column) {
            const float value = target.address(x + column, y + row)->channel[0];
            again.add(value);
            again.above += value > threshold;
        }
        return again;
    }
};

// Adds the rows of all blocks up to one row a block of this launch. `count` rows, a few a thread. Set up while
// TileStatistics ends.
struct JoinTotals {
    using Reduce = ReduceStatistics<Pixel<float, 1>>;
    static constexpr int maximumThreads = joiningThreads;
    static constexpr int minimumBlocks = 1;

    const BlockTotals *rows;
    int count;
    ImageView<Reduce::Totals> partial; // 1 wide, as high as the grid is long

    template <class Block> __device__ void operator()(Block &block) const {
        waitForLaunchBefore();
        auto totals = block.perThread(Reduce::identity());
        block.each([&](auto thread) {
            const int step = block.grid().x * block.threads();
            for (int i = block.index().x * block.threads() + thread.index; i < count; i += step)
                totals[thread].channel[0].merge(rows[i]);
        });
        Reduce::storeTotals(block, totals, partial);
    }
};

#endif

} // namespace tessera
