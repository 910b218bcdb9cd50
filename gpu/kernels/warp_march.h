// Register-blocked convolution of one float channel, for kernels of more than 7x7: each warp marches down a strip of
// its own.
//
// What blocked_march.h wastes: the warps of a block share the rows that they read, so all wait for each other at every
// stage; a row costs a copy of its own; and a strip's first and last rows add to sums of outputs that the strips above
// and below make. Here a warp has a ring of its own, which one tensor copy a stage fills, so that a warp waits for its
// rows alone; what such a copy brings from outside the picture is zero already; and near a strip's ends each sum is
// asked for. That makes the halo between warps be fetched twice, which the second-level cache answers: from 9x9 on
// arithmetic decides. A run of four columns stores whole 128-byte lines. What is still wasted: a strip's first rows
// feed fewer sums than they cost loads, and taps that are data come through the constant cache.
//
// For the GPU alone (compute capability 9.0): tensor copies have no twin on the host.
#pragma once

#include "gpu/kernels/blocked_march.h"

namespace tessera {

// How a warp's window and ring are laid out, for the host as well. Of MarchShape, rows and stages are those of a warp's
// ring, and threads / 32 warps stand side by side.
struct WarpMarchLayout {
    int lead;        // floats of a staged row before the warp's first column
    int pitch;       // of a staged row
    int stageBytes;  // what one copy brings: whole 128 bytes, which it must be aligned to
    int ringBytes;   // of one warp
    int barriers;    // where those of the first warp lie, of 8 bytes
    int sharedBytes; // of a block

    GPU_CODE static constexpr WarpMarchLayout of(const MarchShape &shape) {
        const int warps = shape.threads / warpSize_;
        WarpMarchLayout layout{};
        layout.lead = (shape.anchorX + 3) / 4 * 4;
        layout.pitch = (layout.lead + warpSize_ * shape.run + shape.width - 1 - shape.anchorX + 7) / 8 * 8;
        layout.stageBytes = shape.rows * layout.pitch * int(sizeof(float));
        layout.ringBytes = shape.stages * layout.stageBytes;
        layout.barriers = warps * layout.ringBytes;
        layout.sharedBytes = layout.barriers + warps * shape.stages * 8;
        return layout;
    }
};

#if defined(__CUDACC__)

// No channel is kept: LinearFinish::plain() holds.
template <MarchShape shape, class TapTable> struct WarpMarch {
    using Grey = Pixel<float, 1>;

    static constexpr WarpMarchLayout layout = WarpMarchLayout::of(shape);
    static constexpr int maximumThreads = shape.threads;
    static constexpr int minimumBlocks = shape.blocks;
    static constexpr int run = shape.run;
    static constexpr int step = run < 4 ? run : 4; // floats of a shared load
    // A lane's window of a staged row starts here from its own column on; aligned for such loads.
    static constexpr int skipped = (layout.lead - shape.anchorX) / step * step;
    static constexpr int shift = layout.lead - shape.anchorX - skipped;
    static constexpr int held = (shift + run + shape.width - 1 + step - 1) / step * step;
    static_assert(layout.stageBytes % 128 == 0 && layout.pitch <= 256, "what a tensor copy can bring");

    TensorMap map; // of the source, for boxes of layout.pitch x shape.rows; first, as it is aligned the most
    MarchOperands<Grey, Grey> operands;
    TapTable taps;

    template <class Block> __device__ void operator()(Block &) const { march(); }

    __device__ void march() const {
        const int warp = __shfl_sync(~0u, int(threadIdx.x) / warpSize_, 0); // now known to be the same in all lanes
        const Strip strip = stripOf(warp);
        if (strip.x >= operands.target.width)
            return; // no barrier of the block follows
        unsigned char *ring = dynamicShared() + warp * layout.ringBytes;
        auto *barriers = reinterpret_cast<std::uint64_t *>(dynamicShared() + layout.barriers) + warp * shape.stages;
        const int stages = ceilDivide(strip.outputs + shape.height - 1, shape.rows);
        startRing(strip, ring, barriers, stages);

        float sum[shape.height][run] = {};
        Output output = outputOf(strip);
        int slot = 0;
        unsigned phase = 0;
        GPU_ROLL for (int s = 0; s < stages; ++s) {
            auto *stage = reinterpret_cast<float *>(ring + slot * layout.stageBytes);
            waitForTransfer(&barriers[slot], phase);
            amend(strip, stage, strip.top + s * shape.rows);
            addStage(sum, stage, s * shape.rows, strip.outputs, output);
            // All lanes have read the stage; only then does one of them have it filled anew.
            __syncwarp();
            if (s + shape.stages < stages)
                fetch(strip, ring, barriers, s + shape.stages, slot);
            if (++slot == shape.stages) {
                slot = 0;
                phase ^= 1u;
            }
        }
    }

private:
    using Run = ScalarVector<float, run>;

    struct Strip {
        int x, y;      // of the first output
        int outputs;   // rows of them
        int left, top; // source column and row of the first staged value
    };
    // Where a lane's next row goes, and the scale and bias of all of them.
    struct Output {
        char *place;
        int count;   // floats of it that the target has: `run`, fewer or none
        bool ragged; // of the whole warp: some lane has fewer, or rows are not aligned for whole runs
        float scale, bias;
    };

    __device__ static unsigned char *dynamicShared() {
        extern __shared__ __align__(128) unsigned char warpMarchMemory[];
        return warpMarchMemory;
    }

    __device__ Strip stripOf(int warp) const {
        Strip strip;
        strip.x = (int(blockIdx.x) * (shape.threads / warpSize_) + warp) * warpSize_ * run;
        strip.y = int(blockIdx.y) * operands.strip;
        const int left = operands.target.height - strip.y;
        strip.outputs = left < operands.strip ? left : operands.strip;
        strip.left = strip.x + operands.originX - layout.lead;
        strip.top = strip.y + operands.originY - shape.anchorY;
        return strip;
    }

    // Every copy that is started is waited for: nothing may be under way when the block ends.
    __device__ void startRing(const Strip &strip, unsigned char *ring, std::uint64_t *barriers, int stages) const {
        if (threadIdx.x % warpSize_ == 0)
            for (int s = 0; s < shape.stages; ++s)
                initTransferBarrier(&barriers[s]);
        __syncwarp();
        GPU_UNROLL for (int s = 0; s < shape.stages; ++s) if (s < stages) fetch(strip, ring, barriers, s, s);
    }

    // Starts the copy of stage `s` of the strip into the ring's `slot`. A whole warp.
    __device__ void fetch(const Strip &strip, unsigned char *ring, std::uint64_t *barriers, int s, int slot) const {
        if (electedLane()) {
            announceTransfer(&barriers[slot], unsigned(layout.stageBytes));
            copyBox(ring + slot * layout.stageBytes, &map, strip.left, strip.top + s * shape.rows, &barriers[slot]);
        }
    }

    // Writes what lies outside the picture, for which zeros came, as far as outputs need it. `top`: source row of the
    // stage's first row.
    __device__ void amend(const Strip &strip, float *stage, int top) const {
        const auto &source = operands.source;
        if (source.mode == BorderMode::Zero)
            return;
        const int outputs = operands.target.width - strip.x;
        const int end =
            layout.lead + (outputs < warpSize_ * run ? outputs : warpSize_ * run) + shape.width - 1 - shape.anchorX;
        // Staged columns [before, behind) are inside.
        const int before = clamped(-strip.left, 0, end);
        const int behind = clamped(source.inside.width - strip.left, before, end);
        const bool rowsInside = top >= 0 && top + shape.rows <= source.inside.height;
        if (rowsInside && before == 0 && behind == end)
            return;
        // Lanes go down the columns first: where only columns are outside, few are, and one turn mostly does.
        const int columns = rowsInside ? before + end - behind : end;
        GPU_ROLL for (int i = int(threadIdx.x) % warpSize_; i < columns * shape.rows; i += warpSize_) {
            const int r = i % shape.rows;
            const int column = i / shape.rows + (rowsInside && i / shape.rows >= before ? behind - before : 0);
            const bool rowInside = unsigned(top + r) < unsigned(source.inside.height);
            float *row = stage + r * layout.pitch;
            if (!rowInside || column < before || column >= behind)
                row[column] = valueOutside(strip, row, rowInside, column, top + r);
        }
        orderWritesBeforeCopies();
        __syncwarp();
    }

    __device__ static int clamped(int value, int least, int most) {
        return value < least ? least : value > most ? most : value;
    }

    // What belongs to a staged column of source row y, of which `row` has what is inside.
    __device__ float valueOutside(const Strip &strip, const float *row, bool rowInside, int column, int y) const {
        const auto &source = operands.source;
        const int sourceX = borderIndexCall(source.mode, strip.left + column, source.inside.width);
        const int sourceY = rowInside ? y : borderIndexCall(source.mode, y, source.inside.height);
        if (sourceX < 0 || sourceY < 0)
            return source.outside.channel[0];
        const int staged = sourceX - strip.left;
        if (rowInside && unsigned(staged) < unsigned(layout.pitch))
            return row[staged];
        return source.inside.address(sourceX, sourceY)->channel[0];
    }

    // Adds the rows of a stage, of which the first is row `first` of the strip's window, and stores those outputs that
    // are then complete. Near the strip's ends, and where stores are of single floats, by code of its own, so that the
    // rest is asked nothing.
    __device__ void addStage(float (&sum)[shape.height][run], const float *stage, int first, int outputs,
                             Output &output) const {
        const float *window = stage + int(threadIdx.x) % warpSize_ * run + skipped;
        if (first < shape.height - 1 || first + shape.rows > outputs || output.ragged) {
            GPU_ROLL for (int r = 0; r < shape.rows; ++r) {
                addRow<true>(sum, window + r * layout.pitch, first + r, outputs);
                if (unsigned(first + r - (shape.height - 1)) < unsigned(outputs))
                    storeRagged(output, sum[0]);
                output.place += operands.target.pitch;
            }
            return;
        }
#pragma unroll shape.unrolled
        for (int r = 0; r < shape.rows; ++r) {
            addRow<false>(sum, window + r * layout.pitch, 0, 0);
            if (output.count == run)
                storeRun(output, sum[0]);
            output.place += operands.target.pitch;
        }
    }

    // Each sum moves up one place, and each place adds its own row of taps; see BlockedMarch::add(). `asked`: only sums
    // of the strip's own outputs, which near its ends not all are.
    template <bool asked>
    __device__ void addRow(float (&sum)[shape.height][run], const float *window, int row, int outputs) const {
        float value[held];
        GPU_UNROLL for (int i = 0; i < held; i += step)
            widenVector(*reinterpret_cast<const ScalarVector<float, step> *>(window + i), value + i);
        GPU_UNROLL for (int r = 0; r < shape.height; ++r) {
            if (asked && unsigned(row - (shape.height - 1) + r) >= unsigned(outputs))
                continue;
            const int tapRow = shape.height - 1 - r;
            GPU_UNROLL for (int i = 0; i < run; ++i) {
                float moved = r + 1 < shape.height ? sum[r + 1 < shape.height ? r + 1 : r][i] : 0.0f;
                GPU_UNROLL for (int u = 0; u < shape.width; ++u) moved =
                    fmaf(value[shift + i + u], taps.at(tapRow * shape.width + u), moved);
                sum[r][i] = moved;
            }
        }
    }

    __device__ Output outputOf(const Strip &strip) const {
        const auto &target = operands.target;
        const int x = strip.x + int(threadIdx.x) % warpSize_ * run;
        Output output;
        output.place = reinterpret_cast<char *>(target.data) +
                       (std::ptrdiff_t(strip.y) - (shape.height - 1)) * target.pitch + x * int(sizeof(float));
        output.count = target.width - x < run ? target.width - x : run;
        output.ragged = (strip.x + warpSize_ * run > target.width && target.width % run != 0) ||
                        !rowsAligned(target, int(alignof(Run)));
        output.scale = operands.finish.scale;
        output.bias = operands.finish.bias;
        asm volatile("" : "+f"(output.scale), "+f"(output.bias)); // in registers: else fetched anew for every row
        return output;
    }

    __device__ static Run finished(const Output &output, const float (&sum)[run]) {
        Run stored;
        GPU_UNROLL for (int i = 0; i < run; ++i) stored.value[i] = sum[i] * output.scale + output.bias;
        return stored;
    }
    __device__ static void storeRun(const Output &output, const float (&sum)[run]) {
        *reinterpret_cast<Run *>(output.place) = finished(output, sum);
    }
    __device__ static void storeRagged(const Output &output, const float (&sum)[run]) {
        if (!output.ragged) {
            if (output.count == run)
                storeRun(output, sum);
            return;
        }
        const Run stored = finished(output, sum);
        GPU_UNROLL for (int i = 0; i < run; ++i) if (i < output.count) reinterpret_cast<float *>(output.place)[i] =
            stored.value[i];
    }
};

#endif

} // namespace tessera
