// Register-blocked convolution for kernels that are too large for fetched_tile.h: a block marches down a strip of
// columns.
//
// What blocked.h wastes here: its straight-line code grows with rows * side * side and leaves the instruction cache,
// and every patch loads side - 1 rows more than it has outputs. Here a thread owns `run` neighbouring columns of a
// strip and keeps one sum for every kernel row: a row of the picture, once read, meets all taps and moves every sum one
// place on; the sum that leaves is finished. The code is one row's, and the strip's height pays for the rows above it.
// Rows come by bulk copies, which one thread starts a stage ahead and which cost the others nothing; every row is
// staged once for the whole block, so that neighbours' columns come from shared memory. What is still wasted: taps that
// are data come through the constant cache, some 10 to 25 % of the instructions. Made by the run-time compiler, with
// the taps written into the instructions, the kernel reaches 0.9 of the arithmetic peak.
//
// For the GPU alone (compute capability 9.0): bulk copies have no twin on the host.
#pragma once

#include "gpu/kernels/asynchronous.h"
#include "gpu/kernels/blocked.h"

namespace tessera {

// Everything that the code is made for.
struct MarchShape {
    int width, height;    // of the kernel
    int anchorX, anchorY; // its origin
    int run;              // scalars of a row that a thread owns
    int rows, stages;     // rows of a stage, stages of the ring
    int threads;          // of a block
    int blocks;           // on a multiprocessor, which decides how many registers a thread gets
    int unrolled;         // rows in straight-line code
    bool plain;           // LinearFinish::plain() holds: no channel is kept, nothing is made absolute
};

template <class SourcePixel, class TargetPixel> struct MarchOperands {
    BorderedView<SourcePixel> source; // rows start on 16-byte boundaries
    ImageView<TargetPixel> target;
    int originX = 0, originY = 0; // originX in whole 16 bytes
    LinearFinish finish{};
    int strip = 0; // output rows of a block
};

// Taps as data; as constants they are a type with the same functions. `has`: whether there is a tap at all, and not a
// zero around those of a smaller kernel.
template <int Count> struct MarchTaps {
    float value[Count];

    GPU_CODE float at(int i) const { return value[i]; }
    GPU_CODE static constexpr bool has(int) { return true; }
};

// The layout of a strip, for the host as well.
template <class SourcePixel, MarchShape shape> struct MarchLayout {
    using Scalar = typename SourcePixel::Scalar;

    static constexpr int channels = SourcePixel::channels;
    static constexpr int whole = 16 / int(sizeof(Scalar)); // scalars of 16 bytes
    static constexpr int before = shape.anchorX * channels;
    static constexpr int behind = (shape.width - 1 - shape.anchorX) * channels;
    static constexpr int lead = (before + whole - 1) / whole * whole;
    static constexpr int trail = (behind + whole - 1) / whole * whole;
    static constexpr int columns = shape.threads * shape.run; // outputs of a block, in scalars
    static constexpr int pitch = lead + columns + trail;      // of a staged row
    static constexpr int stageBytes = shape.rows * pitch * int(sizeof(Scalar));
    static constexpr int barriers = shape.stages * stageBytes;      // where they lie
    static constexpr int sharedBytes = barriers + 8 * shape.stages; // the barriers of 8 bytes
};

#if defined(__CUDACC__)

template <class SourcePixel, class TargetPixel, MarchShape shape, class TapTable> struct BlockedMarch {
    using Scalar = typename SourcePixel::Scalar;
    using Value = typename TargetPixel::Scalar;
    using Layout = MarchLayout<SourcePixel, shape>;

    static constexpr int maximumThreads = shape.threads;
    static constexpr int minimumBlocks = shape.blocks;
    static constexpr int channels = SourcePixel::channels;
    static constexpr int run = shape.run;
    static constexpr int step = run < 4 ? run : 4; // scalars of a shared load
    // A thread's window of a staged row starts here from its own column on; aligned for such loads.
    static constexpr int skipped = (Layout::lead - Layout::before) / step * step;
    static constexpr int shift = Layout::lead - Layout::before - skipped;
    static constexpr int held = (shift + Layout::before + run + Layout::behind + step - 1) / step * step;

    MarchOperands<SourcePixel, TargetPixel> operands;
    TapTable taps;

    template <class Block> __device__ void operator()(Block &) const { march(); }

    __device__ void march() const {
        const Place place = placeOf();
        auto *barriers = reinterpret_cast<std::uint64_t *>(dynamicShared() + Layout::barriers);
        if (threadIdx.x == 0)
            for (int s = 0; s < shape.stages; ++s)
                initTransferBarrier(&barriers[s]);
        if (!place.patchRows)
            fillOutside(place);
        __syncthreads();

        const int stages = ceilDivide(place.outputs + shape.height - 1, shape.rows);
        if (threadIdx.x < warpSize_)
            for (int s = 0; s < shape.stages - 1 && s < stages; ++s)
                fetch(place, barriers, s, s);

        float sum[shape.height][run] = {};
        int stage = 0, done = 1 - shape.height;
        char *output = firstOutput() + done * operands.target.pitch;
        unsigned phase = 0;
        GPU_ROLL for (int s = 0; s < stages; ++s) {
            // The last barrier of the loop has freed the stage that was read before this one.
            if (threadIdx.x < warpSize_ && s + shape.stages - 1 < stages)
                fetch(place, barriers, s + shape.stages - 1, stage == 0 ? shape.stages - 1 : stage - 1);
            waitForTransfer(&barriers[stage], phase);
            amend(place, s, stage);
            const Scalar *window = staged(stage) + threadIdx.x * run + skipped;
#pragma unroll shape.unrolled
            for (int r = 0; r < shape.rows; ++r, ++done) {
                float value[held];
                GPU_UNROLL for (int i = 0; i < held; i += step) widenVector(
                    *reinterpret_cast<const ScalarVector<Scalar, step> *>(window + r * Layout::pitch + i), value + i);
                add(sum, value);
                if (static_cast<unsigned>(done) < static_cast<unsigned>(place.outputs))
                    store(place, output, done, sum[0]);
                output += operands.target.pitch;
            }
            __syncthreads();
            if (++stage == shape.stages) {
                stage = 0;
                phase ^= 1u;
            }
        }
    }

private:
    // What a block knows of its strip, in scalars of a source row: staged columns [first, first + pitch), of which
    // [from, to) come by copies.
    struct Place {
        int first, from, to;
        int top;     // source row of the first staged row
        int outputs; // rows to make
        bool rim, patchRows;
        bool wholeRuns; // this thread's outputs are all there and aligned
    };

    __device__ static unsigned char *dynamicShared() {
        extern __shared__ __align__(128) unsigned char marchMemory[];
        return marchMemory;
    }
    __device__ static Scalar *staged(int stage) {
        return reinterpret_cast<Scalar *>(dynamicShared() + stage * Layout::stageBytes);
    }

    __device__ Place placeOf() const {
        Place place;
        const auto &source = operands.source;
        const int width = source.inside.width * channels;
        const int y = int(blockIdx.y) * operands.strip;
        place.first = int(blockIdx.x) * Layout::columns + operands.originX * channels - Layout::lead;
        place.from = place.first > 0 ? place.first : 0;
        const int end =
            place.first + Layout::pitch < width ? place.first + Layout::pitch : width / Layout::whole * Layout::whole;
        place.to = end > place.from ? end : place.from;
        place.top = y + operands.originY - shape.anchorY;
        place.outputs = operands.target.height - y < operands.strip ? operands.target.height - y : operands.strip;
        place.rim = place.from > place.first || place.to < place.first + Layout::pitch;
        // Where the border has a value of its own, columns outside keep it: no copy ever touches them.
        const bool ownValue = source.mode == BorderMode::Zero || source.mode == BorderMode::Constant;
        place.patchRows = place.rim && !(ownValue && (place.to == width || place.to == place.first + Layout::pitch));
        const int last = (int(blockIdx.x) * shape.threads + int(threadIdx.x) + 1) * run;
        place.wholeRuns = last <= operands.target.width * channels &&
                          rowsAligned(operands.target, int(alignof(ScalarVector<Value, run>)));
        return place;
    }

    __device__ int outsideColumns(const Place &place) const { return Layout::pitch - (place.to - place.from); }
    __device__ int outsideColumn(const Place &place, int i) const {
        return i < place.from - place.first ? i : i + (place.to - place.from);
    }

    __device__ void fillOutside(const Place &place) const {
        if (!place.rim)
            return;
        const int count = outsideColumns(place);
        for (int r = 0; r < shape.stages * shape.rows; ++r)
            for (int i = threadIdx.x; i < count; i += shape.threads) {
                const int column = outsideColumn(place, i);
                staged(0)[r * Layout::pitch + column] = operands.source.outside.channel[column % channels];
            }
    }

    // Starts the copies of stage `s` of the strip into the ring's stage `to`. A whole warp.
    __device__ void fetch(const Place &place, std::uint64_t *barriers, int s, int to) const {
        const auto &source = operands.source;
        const int lane = threadIdx.x;
        const unsigned bytes = unsigned(place.to - place.from) * unsigned(sizeof(Scalar));
        int y = place.top + s * shape.rows + lane;
        if (static_cast<unsigned>(y) >= static_cast<unsigned>(source.inside.height))
            y = borderIndexCall(source.mode, y, source.inside.height);
        const bool copies = lane < shape.rows && y >= 0 && bytes > 0;
        const unsigned lanes = __ballot_sync(~0u, copies);
        if (lane == 0)
            announceTransfer(&barriers[to], bytes * unsigned(__popc(lanes)));
        __syncwarp();
        if (copies)
            copyBulk(staged(to) + lane * Layout::pitch + place.from - place.first,
                     reinterpret_cast<const Scalar *>(source.inside.address(0, y)) + place.from, bytes, &barriers[to]);
    }

    // Writes what no copy brought: rows outside the picture whose value is the border's own, and, where the border
    // repeats the picture, columns outside.
    __device__ void amend(const Place &place, int s, int stage) const {
        const auto &source = operands.source;
        const int first = place.top + s * shape.rows;
        const bool rowsInside = first >= 0 && first + shape.rows <= source.inside.height;
        if (rowsInside && !place.patchRows)
            return;
        for (int r = 0; r < shape.rows; ++r) {
            const int y = borderIndexCall(source.mode, first + r, source.inside.height);
            Scalar *row = staged(stage) + r * Layout::pitch;
            if (y < 0) {
                for (int i = threadIdx.x; i < Layout::pitch; i += shape.threads)
                    row[i] = source.outside.channel[i % channels];
            } else if (place.patchRows) {
                const int count = outsideColumns(place);
                for (int i = threadIdx.x; i < count; i += shape.threads)
                    row[outsideColumn(place, i)] = columnOutside(place, row, outsideColumn(place, i), y);
            }
        }
        if (!rowsInside)
            orderWritesBeforeCopies(); // which will bring other rows to where these are
        __syncthreads();
    }

    __device__ Scalar columnOutside(const Place &place, const Scalar *row, int column, int y) const {
        const auto &source = operands.source;
        const int scalar = place.first + column + shape.width * channels; // not negative
        const int x = borderIndexCall(source.mode, scalar / channels - shape.width, source.inside.width);
        const int channel = scalar % channels;
        if (x < 0)
            return source.outside.channel[channel];
        const int from = x * channels + channel;
        return from >= place.from && from < place.to
                   ? row[from - place.first]
                   : reinterpret_cast<const Scalar *>(source.inside.address(0, y))[from];
    }

    // Each sum moves up one place, and each place adds its own row of taps; see BlockedConvolve::addToAll().
    __device__ void add(float (&sum)[shape.height][run], const float (&value)[held]) const {
        GPU_UNROLL for (int r = 0; r < shape.height; ++r) {
            const int tapRow = shape.height - 1 - r;
            GPU_UNROLL for (int i = 0; i < run; ++i) {
                float moved = r + 1 < shape.height ? sum[r + 1 < shape.height ? r + 1 : r][i] : 0.0f;
                GPU_UNROLL for (int u = 0; u < shape.width; ++u) moved =
                    fmaf(value[shift + i + u * channels], taps.at(tapRow * shape.width + u), moved);
                sum[r][i] = moved;
            }
        }
    }

    // Where the thread's first output goes, and on from there row by row.
    __device__ char *firstOutput() const {
        const int x = int(blockIdx.x) * Layout::columns + int(threadIdx.x) * run;
        return reinterpret_cast<char *>(operands.target.data) +
               std::ptrdiff_t(blockIdx.y) * operands.strip * operands.target.pitch + x * int(sizeof(Value));
    }

    __device__ void store(const Place &place, char *output, int done, const float (&sum)[run]) const {
        using Run = ScalarVector<Value, run>;
        const LinearFinish &finish = operands.finish;
        Run stored;
        GPU_UNROLL for (int i = 0; i < run; ++i) {
            const float value = sum[i] * finish.scale + finish.bias;
            stored.value[i] = storedValue<Value>(!shape.plain && finish.absolute && value < 0.0f ? -value : value);
        }
        if constexpr (!shape.plain)
            keepChannels(place, done, stored);
        if (place.wholeRuns) {
            *reinterpret_cast<Run *>(output) = stored;
            return;
        }
        const int x = int(blockIdx.x) * Layout::columns + int(threadIdx.x) * run;
        GPU_UNROLL for (int i = 0; i < run;
                        ++i) if (x + i < operands.target.width * channels) reinterpret_cast<Value *>(output)[i] =
            stored.value[i];
    }

    __device__ void keepChannels(const Place &place, int done, ScalarVector<Value, run> &stored) const {
        const unsigned kept = operands.finish.kept;
        if (!kept)
            return;
        const int x = int(blockIdx.x) * Layout::columns + int(threadIdx.x) * run;
        const int y = place.top + shape.anchorY + done;
        const auto *original =
            reinterpret_cast<const Scalar *>(operands.source.inside.address(0, y)) + operands.originX * channels;
        GPU_UNROLL for (int i = 0; i < run;
                        ++i) if (x + i < operands.target.width * channels && kept >> (x + i) % channels & 1u)
            stored.value[i] = storedValue<Value>(static_cast<float>(original[x + i]));
    }
};

#endif

} // namespace tessera
