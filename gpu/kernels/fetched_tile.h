// Register-blocked convolution of floats for small kernels: one tensor copy fetches all that a block reads, and the
// block ends with its tile.
//
// What blocked.h wastes from 5x5 on: what is on its way to a thread takes registers, so that the more taps there are
// the less memory is under way. What marching wastes there: strips are so far apart that their halos are read from
// memory twice, and a launch is one wave, whose slowest block all wait for. Here a block's window comes into shared
// memory by one copy that no thread has to look after; many blocks are on a multiprocessor, so that some wait while
// others compute; neighbours follow each other closely, and find their halos in the second-level cache. What is still
// wasted: a block's halo rows, a load from shared memory for every 16 bytes of a thread's window, and straight-line
// code that grows with rows * side * side.
//
// For the GPU alone (compute capability 9.0): tensor copies have no twin on the host.
#pragma once

#include "gpu/kernels/blocked_march.h"

namespace tessera {

inline constexpr int fetchedRun = 4; // floats of a row that a thread owns

struct FetchShape {
    int rows;      // of a thread's patch
    int warps;     // of a block, above each other
    int blocks;    // on a multiprocessor
    int parts = 1; // patches of a thread, one below the other, in a loop: what a block does once is then done for more

    GPU_CODE constexpr int threadRows() const { return rows * parts; }
    GPU_CODE constexpr int blockRows() const { return warps * threadRows(); }
    friend constexpr bool operator==(const FetchShape &, const FetchShape &) = default;
};

// How a block's window is laid out, for the host as well.
struct FetchLayout {
    int lead;        // floats of a staged row before the first output
    int pitch;       // of a staged row
    int height;      // staged rows
    int stageBytes;  // what the copy brings
    int sharedBytes; // with the barrier behind it

    GPU_CODE static constexpr FetchLayout of(int side, int channels, const FetchShape &shape) {
        FetchLayout layout{};
        layout.lead = (side / 2 * channels + 3) / 4 * 4;
        layout.pitch = 2 * layout.lead + fetchedRun * warpSize_;
        layout.height = shape.blockRows() + side - 1;
        layout.stageBytes = layout.pitch * layout.height * int(sizeof(float));
        layout.sharedBytes = layout.stageBytes + 8;
        return layout;
    }
};

#if defined(__CUDACC__)

// Takes the outputs as they are made, of a thread's row at a time or, at the rim, one by one.
struct NoFetchSink {
    __device__ void add(float) const {}
    __device__ void addRun(const float (&)[fetchedRun]) const {}
};

// The taps stand in a square with the origin in its centre. No channel is kept: LinearFinish::plain() holds.
template <int Channels, int Side, FetchShape shape, class TapTable> struct FetchedTile {
    using P = Pixel<float, Channels>;

    static constexpr FetchLayout layout = FetchLayout::of(Side, Channels, shape);
    static constexpr int maximumThreads = shape.warps * warpSize_;
    static constexpr int minimumBlocks = fetchingBlocks(shape.blocks);
    static constexpr int run = fetchedRun, pixels = run / Channels; // of a thread's row
    static constexpr int rows = shape.rows, threadRows = shape.threadRows();
    static constexpr int columns = warpSize_ * pixels; // of a block
    static constexpr int reach = Side / 2;
    static constexpr int lead = layout.lead / Channels; // pixels
    static constexpr int held = 2 * layout.lead + run;  // of a lane's window, in a row
    static_assert(layout.pitch <= 256 && layout.height <= 256, "what a tensor copy can bring");

    TensorMap map; // of the source, for boxes of layout.pitch x layout.height; first, as it is aligned the most
    MarchOperands<P, P> operands;
    TapTable taps;

    template <class Block> __device__ void operator()(Block &) const { tile(NoFetchSink{}); }

    template <class Sink> __device__ void tile(const Sink &sink) const {
        const int x = int(blockIdx.x) * columns, y = int(blockIdx.y) * shape.blockRows();
        const int left = x + operands.originX - lead, top = y + operands.originY - reach;
        auto *const stage = reinterpret_cast<P *>(dynamicShared());
        auto *const barrier = reinterpret_cast<std::uint64_t *>(dynamicShared() + layout.stageBytes);
        if (threadIdx.x == 0) {
            initTransferBarrier(barrier);
            announceTransfer(barrier, unsigned(layout.stageBytes));
            copyBox(stage, &map, left * Channels, top, barrier);
        }
        __syncthreads();
        waitForTransfer(barrier, 0);
        amend(stage, left, top, operands.target.width - x);
        const int warp = __shfl_sync(~0u, int(threadIdx.x) / warpSize_, 0); // now known to be the same in all lanes
        const int lane = int(threadIdx.x) % warpSize_;
        const float *window =
            reinterpret_cast<const float *>(stage) + warp * shape.threadRows() * layout.pitch + lane * run;
        const auto &target = operands.target;
        int first = y + warp * shape.threadRows();
        const int column = x + lane * pixels;
        char *place =
            reinterpret_cast<char *>(target.data) + std::ptrdiff_t(first) * target.pitch + column * int(sizeof(P));
        const bool full = x + columns <= target.width && rowsAligned(target, int(alignof(Run)));
        GPU_ROLL for (int part = 0; part < shape.parts; ++part) {
            if (full && first + rows <= target.height)
                patch(window, place, sink);
            else
                raggedPatch(window, place, (target.width - column) * Channels, target.height - first, sink);
            window += rows * layout.pitch;
            first += rows;
            place += rows * target.pitch;
        }
    }

private:
    using Run = ScalarVector<float, run>;

    __device__ static unsigned char *dynamicShared() {
        extern __shared__ __align__(128) unsigned char fetchedTileMemory[];
        return fetchedTileMemory;
    }

    __device__ static void loadRow(const float *row, float (&value)[held]) {
        GPU_UNROLL for (int i = 0; i < held; i += run) widenVector(*reinterpret_cast<const Run *>(row + i), value + i);
    }

    __device__ void addRow(float (&sum)[run], const float (&value)[held], int tapRow) const {
        GPU_UNROLL for (int u = 0; u < Side; ++u) if (TapTable::has(tapRow * Side + u))
            GPU_UNROLL for (int i = 0; i < run; ++i) sum[i] =
                fmaf(value[layout.lead + (u - reach) * Channels + i], taps.at(tapRow * Side + u), sum[i]);
    }

    __device__ Run finished(const float (&sum)[run]) const {
        Run stored;
        GPU_UNROLL for (int i = 0; i < run; ++i) stored.value[i] =
            sum[i] * operands.finish.scale + operands.finish.bias;
        return stored;
    }

    template <class Sink> __device__ void patch(const float *window, char *place, const Sink &sink) const {
        float sum[rows][run] = {};
        GPU_UNROLL for (int v = 0; v < rows + Side - 1; ++v) {
            float value[held];
            loadRow(window + v * layout.pitch, value);
            GPU_UNROLL for (int r = 0; r < rows; ++r) if (v >= r && v < r + Side) addRow(sum[r], value, v - r);
            if (v >= Side - 1) {
                const Run stored = finished(sum[v - (Side - 1)]);
                *reinterpret_cast<Run *>(place) = stored;
                place += operands.target.pitch;
                sink.addRun(stored.value);
            }
        }
    }

    // The same in a loop, for the sake of the instruction cache: `floats` of a row and `height` are what the target has
    // left.
    template <class Sink>
    __device__ void raggedPatch(const float *window, char *place, int floats, int height, const Sink &sink) const {
        float sum[Side][run] = {};
        const int last = height < rows ? height : rows;
        GPU_ROLL for (int v = 0; v < last + Side - 1; ++v) {
            float value[held];
            loadRow(window + v * layout.pitch, value);
            GPU_UNROLL for (int r = 0; r < Side; ++r) {
                GPU_UNROLL for (int i = 0; i < run; ++i) sum[r][i] =
                    r + 1 < Side ? sum[r + 1 < Side ? r + 1 : r][i] : 0.0f;
                addRow(sum[r], value, Side - 1 - r);
            }
            if (v < Side - 1)
                continue;
            const Run stored = finished(sum[0]);
            GPU_UNROLL for (int i = 0; i < run; ++i) if (i < floats) {
                reinterpret_cast<float *>(place)[i] = stored.value[i];
                sink.add(stored.value[i]);
            }
            place += operands.target.pitch;
        }
    }

    // Writes what lies outside the picture, for which zeros came, as far as outputs need it. `outputs`: columns that
    // the target has left.
    __device__ void amend(P *stage, int left, int top, int outputs) const {
        constexpr int pitch = layout.pitch / Channels;
        const auto &source = operands.source;
        if (source.mode == BorderMode::Zero)
            return;
        const int end = lead + (outputs < columns ? outputs : columns) + reach;
        // Staged columns [before, behind) are inside.
        const int before = clamped(-left, 0, end);
        const int behind = clamped(source.inside.width - left, before, end);
        const bool rowsInside = top >= 0 && top + layout.height <= source.inside.height;
        if (rowsInside && before == 0 && behind == end)
            return;
        // Threads go down the columns first: where only columns are outside, few are.
        const int outside = rowsInside ? before + end - behind : end;
        GPU_ROLL for (int i = int(threadIdx.x); i < outside * layout.height; i += maximumThreads) {
            const int r = i % layout.height;
            const int column = i / layout.height + (rowsInside && i / layout.height >= before ? behind - before : 0);
            const bool rowInside = unsigned(top + r) < unsigned(source.inside.height);
            P *row = stage + r * pitch;
            if (!rowInside || column < before || column >= behind)
                row[column] = valueOutside(row, rowInside, column, left, top + r);
        }
        __syncthreads();
    }

    __device__ static int clamped(int value, int least, int most) {
        return value < least ? least : value > most ? most : value;
    }

    // What belongs to a staged column of source row y, of which `row` has what is inside.
    __device__ P valueOutside(const P *row, bool rowInside, int column, int left, int y) const {
        const auto &source = operands.source;
        const int sourceX = borderIndexCall(source.mode, left + column, source.inside.width);
        const int sourceY = rowInside ? y : borderIndexCall(source.mode, y, source.inside.height);
        if (sourceX < 0 || sourceY < 0)
            return source.outside;
        const int staged = sourceX - left;
        if (rowInside && unsigned(staged) < unsigned(layout.pitch / Channels))
            return row[staged];
        return *source.inside.address(sourceX, sourceY);
    }
};

#endif

} // namespace tessera
