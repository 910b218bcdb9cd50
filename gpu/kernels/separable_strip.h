// The kernel of separable.h: a block's march down its strip.
#pragma once

#include "gpu/kernels/separable_rows.h"
#include "gpu/kernels/separable_store.h"

#if defined(__CUDACC__)

namespace tessera {

namespace separable {

// Chunk q of a ring row lies at q ^ ringSwizzle(row, q), so that both the threads that write sums across (several rows,
// four or eight chunks each) and those that read them (one row, a chunk each) meet all banks.
__device__ constexpr int ringSwizzle(int row, int chunk) {
    const int group = chunk >> 3;
    return (row & 3) ^ ((group & 1) << 1) ^ ((group >> 1 & 1) * 5);
}

// Where a thread stands in the sums across.
template <class Shape> struct AcrossPlace {
    int run;      // which window of the row
    int firstRow; // of the batch; its items are rowsPerWarp apart

    __device__ AcrossPlace() {
        constexpr int runsPerQuarter = 8 / Shape::runChunks; // of the eight lanes that read at a time
        const int lane = int(threadIdx.x) % warpSize_, warp = int(threadIdx.x) / warpSize_;
        const int along = lane % runsPerQuarter + lane / 8 * runsPerQuarter;
        const int extra = Shape::runsPerRow < Shape::runsPerWarp ? along / Shape::runsPerRow : 0;
        run = warp % Shape::warpsPerRow * Shape::runsPerWarp + along - extra * Shape::runsPerRow;
        firstRow = warp / Shape::warpsPerRow * Shape::rowsPerWarp * Shape::items + lane % 8 / runsPerQuarter +
                   extra * Shape::runChunks;
    }
};

// The pixels of a 16-byte chunk.
template <class Pixel> struct alignas(16) Chunk {
    Pixel pixel[16 / sizeof(Pixel)];
};

template <class Shape, class Pixel> using Sums = float[Shape::run][Shape::channels];

// sums[o] = sum over u of taps.across[u] * pixel(o + u)
template <class Shape, class Pixel>
__device__ inline void sumAcross(const Chunk<Pixel> *window, const SeparableTaps &taps, Sums<Shape, Pixel> &sums) {
    GPU_UNROLL
    for (int o = 0; o < Shape::run; ++o)
        GPU_UNROLL
        for (int c = 0; c < Shape::channels; ++c)
            sums[o][c] = 0.0f;
    GPU_UNROLL
    for (int chunk = 0; chunk < Shape::windowChunks; ++chunk) {
        const Chunk<Pixel> pixels = window[chunk];
        GPU_UNROLL
        for (int k = 0; k < Shape::perChunk; ++k) {
            const int place = chunk * Shape::perChunk + k - Shape::lead;
            GPU_UNROLL
            for (int c = 0; c < Shape::channels; ++c) {
                const auto value = float(pixels.pixel[k].channel[c]);
                GPU_UNROLL
                for (int o = 0; o < Shape::run; ++o)
                    if (place - o >= 0 && place - o < Shape::side)
                        sums[o][c] += value * taps.across[place - o];
            }
        }
    }
}

// The same with three quarters of the products (a fast FIR of two phases). With x0, x1 the even and the odd pixels and
// a, b the even and the odd taps, the outputs are  a*x0 + b*x1  and  a*x1 + b*x0'  (x0' one pair further). Both contain
// (a + b)*x1; what is left is  a*(x0 - x1)  and  b*(x0' - x1).
template <class Shape, class Pixel>
__device__ inline void sumAcrossInPairs(const Chunk<Pixel> *window, const SeparableTaps &taps,
                                        Sums<Shape, Pixel> &sums) {
    float value[Shape::windowChunks * Shape::perChunk];
    GPU_UNROLL
    for (int chunk = 0; chunk < Shape::windowChunks; ++chunk) {
        const Chunk<Pixel> pixels = window[chunk];
        GPU_UNROLL
        for (int k = 0; k < Shape::perChunk; ++k)
            value[chunk * Shape::perChunk + k] = float(pixels.pixel[k].channel[0]);
    }
    constexpr int pairs = (Shape::run + Shape::side - 1) / 2;
    GPU_UNROLL
    for (int o = 0; o < Shape::run; o += 2) {
        float common = 0.0f;
        GPU_UNROLL
        for (int t = 0; t < (Shape::side + 1) / 2; ++t)
            common += value[Shape::lead + o + 2 * t + 1] * taps.acrossPairs[t];
        sums[o][0] = sums[o + 1][0] = common;
    }
    GPU_UNROLL
    for (int n = 0; n < pairs; ++n) {
        const float odd = value[Shape::lead + 2 * n + 1];
        const float even = value[Shape::lead + 2 * n] - odd;
        const float next = n + 1 < pairs ? value[Shape::lead + 2 * n + 2] - odd : 0.0f;
        GPU_UNROLL
        for (int o = 0; o < Shape::run; o += 2) {
            const int t = 2 * n - o;
            if (t >= 0 && t < Shape::side)
                sums[o][0] += even * taps.across[t];
            if (t >= 0 && t + 1 < Shape::side)
                sums[o + 1][0] += next * taps.across[t + 1];
        }
    }
}

// Adds taps.down over side rows of the ring to 8 rows of 4 sums.
template <class Shape>
__device__ inline void sumDown(const float4 *ring, int firstRow, int chunk, const SeparableTaps &taps,
                               float (&sums)[Shape::rowsEach][4]) {
    const float4 *places[4];
    GPU_UNROLL
    for (int i = 0; i < 4; ++i)
        places[i] = ring + (chunk ^ ringSwizzle(i, chunk));
    GPU_UNROLL
    for (int rows = 0; rows < Shape::rowsEach + Shape::side - 1; rows += 8) {
        GPU_UNROLL
        for (int i = 0; i < 8 && rows + i < Shape::rowsEach + Shape::side - 1; ++i) {
            const float4 values = places[i & 3][(firstRow + i) * Shape::ringStride];
            GPU_UNROLL
            for (int m = 0; m < Shape::rowsEach; ++m) {
                const int t = rows + i - m;
                if (t < 0 || t >= Shape::side)
                    continue;
                sums[m][0] += values.x * taps.down[t];
                sums[m][1] += values.y * taps.down[t];
                sums[m][2] += values.z * taps.down[t];
                sums[m][3] += values.w * taps.down[t];
            }
        }
        firstRow += 8;
        if (firstRow >= Shape::ringRows)
            firstRow -= Shape::ringRows;
    }
}

} // namespace separable

template <class SourcePixel, class TargetPixel, int side, bool several> struct SeparableConvolve {
    using Shape = separable::Shape<SourcePixel, side, several>;
    static constexpr int maximumThreads = Shape::threads;
    static constexpr int minimumBlocks = 1;

    SeparableOperands<SourcePixel, TargetPixel, several> operands;

    // Block (x, y): segment y of strip x.
    template <class Block> __device__ void operator()(Block &block) const {
        auto *const barriers = block.template shared<std::uint64_t>(Shape::barrierBytes / 8).data;
        auto *const ring = block.template shared<float4>(Shape::ringRows * Shape::ringStride * termCount()).data;
        auto *const buffers = block.template shared<float4>(Shape::stages * Shape::batch * Shape::rowStride).data;
        const int x0 = block.index().x * Shape::width;
        const int y0 = block.index().y * operands.rowsPerSegment;
        const int rowsLeft = operands.target.height - y0;
        const int rows = rowsLeft < operands.rowsPerSegment ? rowsLeft : operands.rowsPerSegment;
        const int batches = Shape::prefixBatches + (rows + Shape::batch - 1) / Shape::batch;
        // Batch 0 begins before the first row that is needed.
        constexpr int unused = Shape::prefixBatches * Shape::batch - Shape::prefix;
        const separable::Rows<Shape, SourcePixel> source(
            operands.source, buffers, barriers, x0 + operands.firstX - Shape::lead, y0 + operands.firstY - unused,
            Shape::lead + operands.target.width - x0 + side - 1 + (Shape::inPairs ? 1 : 0), operands.bulk);
        for (int batch = 0; batch < Shape::stages && batch < batches; ++batch)
            source.request(batch, batch == 0 ? unused : 0);

        // Rows of the ring: of the batch's first sums across, and of the first that the sums down read.
        int head = (Shape::ringRows - unused) % Shape::ringRows, tail = 0;
        const auto advance = [](int row) {
            return row + Shape::batch < Shape::ringRows ? row + Shape::batch : row + Shape::batch - Shape::ringRows;
        };
        const auto goAcross = [&](int batch) {
            source.await(batch, batch == 0 ? unused : 0);
            if (!Shape::overlaps)
                __syncthreads(); // the sums down of the batch before are made
            across(source.buffer(batch), ring, head, batch == 0 ? unused : 0);
            head = advance(head);
        };
        goAcross(0);
        for (int batch = 0; batch < batches; ++batch) {
            __syncthreads();
            if (batch + Shape::stages < batches)
                source.request(batch + Shape::stages, 0);
            if (batch >= Shape::prefixBatches) {
                down(ring, tail, x0, y0 + (batch - Shape::prefixBatches) * Shape::batch, y0 + rows);
                tail = advance(tail);
            }
            if (batch + 1 < batches)
                goAcross(batch + 1);
        }
    }

private:
    __device__ int termCount() const { return several ? operands.terms : 1; }

    __device__ void across(const float4 *buffer, float4 *ring, int head, int unused) const {
        const separable::AcrossPlace<Shape> place;
        using Chunk = separable::Chunk<SourcePixel>;
#pragma unroll 1
        for (int item = 0; item < Shape::items; ++item) {
            const int row = place.firstRow + item * Shape::rowsPerWarp;
            if (row < unused)
                continue;
            const auto *window = reinterpret_cast<const Chunk *>(buffer) + row * Shape::rowStride +
                                 place.run * Shape::runChunks;
            const int ringRow = head + row < Shape::ringRows ? head + row : head + row - Shape::ringRows;
#pragma unroll 1
            for (int term = 0; term < termCount(); ++term) {
                separable::Sums<Shape, SourcePixel> sums;
                if constexpr (Shape::inPairs)
                    separable::sumAcrossInPairs<Shape, SourcePixel>(window, operands.taps[term], sums);
                else
                    separable::sumAcross<Shape, SourcePixel>(window, operands.taps[term], sums);
                store(sums, ring + (term * Shape::ringRows + ringRow) * Shape::ringStride, ringRow, place.run);
            }
        }
    }
    __device__ static void store(const separable::Sums<Shape, SourcePixel> &sums, float4 *ringRow, int row, int run) {
        constexpr int chunks = Shape::run * Shape::channels / 4;
        const int first = run * chunks, group = first & ~7;
        const int turn = (first & 7) ^ separable::ringSwizzle(row, first);
        const float *values = &sums[0][0];
        GPU_UNROLL
        for (int i = 0; i < chunks; ++i)
            ringRow[group + (i ^ turn)] =
                make_float4(values[4 * i], values[4 * i + 1], values[4 * i + 2], values[4 * i + 3]);
    }

    __device__ void down(const float4 *ring, int tail, int x0, int y, int yEnd) const {
        constexpr int chunksPerRow = Shape::floats / 4;
        const int chunk = int(threadIdx.x) % chunksPerRow;
        const int group = int(threadIdx.x) / chunksPerRow * Shape::rowsEach;
        const int first = tail + group < Shape::ringRows ? tail + group : tail + group - Shape::ringRows;
        float sums[Shape::rowsEach][4] = {};
#pragma unroll 1
        for (int term = 0; term < termCount(); ++term)
            separable::sumDown<Shape>(ring + term * Shape::ringRows * Shape::ringStride, first, chunk,
                                      operands.taps[term], sums);
        separable::storeSums<Shape>(operands, x0 + chunk * 4 / Shape::channels, y + group, yEnd, sums);
    }
};

} // namespace tessera

#endif
