// The kernel of separable_bytes.h: a warp's march down its columns.
#pragma once

#include "gpu/kernels/separable_bytes.h"
#include "gpu/kernels/separable_rows.h"
#include "gpu/kernels/separable_store.h"
#include "gpu/kernels/tensor_fragments.h"

#if defined(__CUDACC__)

#include <cuda_fp16.h>

namespace tessera {

namespace separable {

// Two neighbouring entries of a band matrix, taps `first` and the next: rounded to halves (part 0), or what that
// leaves.
template <int side> __device__ inline unsigned bandEntries(const float *taps, int first, int part) {
    unsigned entries = 0;
    GPU_UNROLL
    for (int i = 0; i < 2; ++i) {
        const int u = first + i;
        const float tap = u >= 0 && u < side ? taps[u] : 0.0f;
        const __half high = __float2half_rn(tap);
        const __half half = part == 0 ? high : __float2half_rn(tap - __half2float(high));
        entries |= unsigned(__half_as_ushort(half)) << (16 * i);
    }
    return entries;
}

// The taps as left operands of 16 outputs each, in two parts. Row m across is output column columnOf(m): a lane then
// ends with four neighbouring pixels.
template <class Shape> struct ByteBands {
    tensor::Window across[Shape::parts][Shape::pairs], down[Shape::parts][Shape::pairs];
    tensor::NarrowWindow acrossEnd[Shape::parts], downEnd[Shape::parts]; // the 8 columns or rows that are left

    __device__ static int columnOf(int m) { return 4 * (m % 8 / 2) + m % 2 + (m < 8 ? 0 : 2); }

    __device__ ByteBands(const SeparableByteOperands &operands, int lane) {
        constexpr int side = Shape::side;
        const int t = lane % 4, g = lane / 4;
        GPU_UNROLL
        for (int part = 0; part < Shape::parts; ++part) {
            GPU_UNROLL
            for (int i = 0; i < Shape::pairs; ++i)
                GPU_UNROLL
            for (int p = 0; p < 4; ++p) {
                const int m = g + p % 2 * 8;
                const int column = Shape::odd ? 2 * t + p / 2 * 8 : 4 * t + p / 2 * 2; // as lanes read pixels
                across[part][i].part[p] =
                    bandEntries<side>(operands.across, 16 * i + column - columnOf(m) - Shape::zeros, part);
                const int firstRow = (Shape::odd ? 8 : 16 * i) + 2 * t + p / 2 * 8;
                down[part][i].part[p] = bandEntries<side>(operands.down, firstRow - m, part);
            }
            GPU_UNROLL
            for (int p = 0; p < 2; ++p) {
                const int m = g + p * 8;
                acrossEnd[part].part[p] =
                    bandEntries<side>(operands.across, 16 + 2 * t - columnOf(m) - Shape::zeros, part);
                downEnd[part].part[p] = bandEntries<side>(operands.down, 2 * t - m, part);
            }
        }
    }
};

// A batch's pixels under a warp's windows, as halves: columns 8 at a time of its upper and its lower 8 rows.
template <class Shape> struct BytePixels {
    static constexpr int columns = Shape::odd ? 2 * Shape::tiles + 1 : 2 * (Shape::tiles + Shape::pairs - 1);
    unsigned pair[2][columns];

    __device__ explicit BytePixels(unsigned address) {
        GPU_UNROLL
        for (int half = 0; half < 2; ++half) {
            const unsigned row = address + unsigned(half * 8 * Shape::rowStride * 16);
            GPU_UNROLL
            for (int i = 0; i < columns; ++i)
                if constexpr (Shape::odd) {
                    pair[half][i] = __byte_perm(tensor::loadTwoBytes(row + 8 * i), 0, 0x4140);
                } else if (i % 2 == 0) {
                    const auto four = tensor::loadFourBytes(row + 8 * i);
                    pair[half][i] = __byte_perm(four, 0, 0x4140);
                    pair[half][i + 1] = __byte_perm(four, 0, 0x4342);
                }
        }
    }
    __device__ tensor::Band at(int half, int place) const { return {pair[half][place], pair[half][place + 1]}; }
};

__device__ inline unsigned twoHalves(float low, float high) {
    const __half2 both = __floats2half2_rn(low, high);
    return reinterpret_cast<const unsigned &>(both);
}

// Sums across as the second product's right operand: 16 rows of 8 columns, cut into two halves. The higher keeps the
// eleven bits that a half has; so nothing is rounded there.
struct ByteSums {
    tensor::Band high, low;

    __device__ ByteSums(const float (&across)[2][4], int column) {
        GPU_UNROLL
        for (int half = 0; half < 2; ++half) {
            const float a = across[half][2 * column], b = across[half][2 * column + 1];
            const float highA = __uint_as_float(__float_as_uint(a) & 0xffffe000u);
            const float highB = __uint_as_float(__float_as_uint(b) & 0xffffe000u);
            high.part[half] = twoHalves(highA, highB);
            low.part[half] = twoHalves(a - highA, b - highB);
        }
    }
};

template <class Shape>
__device__ inline void sumAcross(const ByteBands<Shape> &bands, const BytePixels<Shape> &pixels, int tile,
                                 float (&sums)[2][4]) {
    const float zero[4] = {};
    GPU_UNROLL
    for (int half = 0; half < 2; ++half) {
        GPU_UNROLL
        for (int i = 0; i < Shape::pairs; ++i)
            GPU_UNROLL
        for (int part = 0; part < Shape::parts; ++part) {
            const float(&before)[4] = *(i == 0 && part == 0 ? &zero : &sums[half]);
            tensor::multiplyAdd(sums[half], bands.across[part][i], pixels.at(half, 2 * (tile + i)), before);
        }
        if constexpr (Shape::odd)
            GPU_UNROLL
        for (int part = 0; part < Shape::parts; ++part)
            tensor::multiplyAdd(sums[half], bands.acrossEnd[part], pixels.pair[half][2 * tile + 2]);
    }
}

// sums[i] becomes what it was of the next block, and all of them have this batch's rows added. The product of the two
// lower halves is left out.
template <class Shape>
__device__ inline void sumDown(const ByteBands<Shape> &bands, const ByteSums &across,
                               float (&sums)[Shape::underWay][4]) {
    constexpr int pairs = Shape::pairs;
    const float zero[4] = {};
    GPU_UNROLL
    for (int i = 0; i < pairs; ++i)
        if (i + 1 < Shape::underWay)
            tensor::multiplyAdd(sums[i], bands.down[0][pairs - 1 - i], across.high,
                                sums[i + 1 < Shape::underWay ? i + 1 : 0]);
        else
            tensor::multiplyAdd(sums[i], bands.down[0][pairs - 1 - i], across.high, zero);
    if constexpr (Shape::odd)
        tensor::multiplyAdd(sums[1], bands.downEnd[0], across.high.part[1], zero);
    GPU_UNROLL
    for (int product = 0; product < Shape::parts; ++product) {
        const tensor::Band &rows = product == 0 ? across.low : across.high;
        GPU_UNROLL
        for (int i = 0; i < pairs; ++i)
            tensor::multiplyAdd(sums[i], bands.down[product][pairs - 1 - i], rows, sums[i]);
        if constexpr (Shape::odd)
            tensor::multiplyAdd(sums[1], bands.downEnd[product], rows.part[1]);
    }
}

} // namespace separable

// `quick`: whole offset, no divisor but a power of two, response Clamp, and no sum so large that adding 1.5 * 2^23
// would not leave its whole part in the lowest bits.
template <int side, int parts, bool quick> struct SeparableBytes {
    using Shape = separable::ByteShape<side, parts>;
    using Pixels = SeparableByteOperands::Pixels;
    static constexpr int maximumThreads = Shape::threads;
    static constexpr int minimumBlocks = Shape::blocks;

    SeparableByteOperands operands;

    // Block (x, y): segment y of strip x.
    template <class Block> __device__ void operator()(Block &block) const {
#if __CUDA_ARCH__ >= 900
        auto *const full = block.template shared<std::uint64_t>(Shape::stages).data;
        auto *const empty = block.template shared<std::uint64_t>(Shape::stages).data;
        auto *const buffers = block.template shared<float4>(Shape::stages * Shape::batch * Shape::rowStride).data;
        auto *const lines = block.template shared<uint4>(Shape::lineChunks).data;
        if (threadIdx.x < Shape::stages)
            initThreadBarrier(&empty[threadIdx.x], Shape::warps);
        const int x0 = block.index().x * Shape::width, y0 = block.index().y * operands.rowsPerSegment;
        const int rows = min(operands.rowsPerSegment, operands.target.height - y0);
        const separable::Rows<Shape, Pixels> source(operands.source, buffers, full, x0 + operands.firstX - Shape::lead,
                                                    y0 + operands.firstY - Shape::rowShift,
                                                    Shape::lead + operands.target.width - x0 + side - 1, true);
        march(source, empty, lines, x0, y0, rows);
#else
        __trap(); // the planner sees to it
#endif
    }

private:
    using Sums = float[Shape::tiles][2][Shape::underWay][4]; // of four neighbouring columns, two at a time

    __device__ void march(const separable::Rows<Shape, Pixels> &source, std::uint64_t *empty, uint4 *lines, int x0,
                          int y0, int rows) const {
        constexpr int stages = Shape::stages;
        const int lane = int(threadIdx.x) % warpSize_, warp = int(threadIdx.x) / warpSize_;
        const int batches = Shape::lag + (rows + Shape::batch - 1) / Shape::batch;
        for (int batch = 0; batch < stages && batch < batches; ++batch)
            source.request(batch, 0);
        const separable::ByteBands<Shape> bands(operands, lane);
        Sums sums = {};
        const unsigned place = unsigned(lane / 4 * Shape::rowStride * 16 + warp * Shape::tiles * 16 + Shape::start +
                                        Shape::unit * (lane % 4));
        uint4 *const own = lines + warp * Shape::batch * Shape::lineStride;
        const int x = x0 + warp * Shape::tiles * 16;
        auto *to = reinterpret_cast<unsigned char *>(operands.target.data) +
                   std::ptrdiff_t(y0 - Shape::lag * Shape::batch) * operands.target.pitch + x;
#pragma unroll 1
        for (int batch = 0; batch < batches; ++batch) {
            if (batch > 0 && batch - 1 + stages < batches) { // the rows of the batch before make room
                waitForTransfer(&empty[(batch - 1) % stages], unsigned((batch - 1) / stages) & 1u);
                source.request(batch - 1 + stages, 0);
            }
            source.await(batch, 0);
            const separable::BytePixels<Shape> pixels(sharedAddress(source.buffer(batch)) + place);
            __syncwarp();
            if (lane == 0)
                arriveAt(&empty[batch % stages]);
            addBatch(bands, pixels, sums);
            if (batch >= Shape::lag)
                store(sums, own, to, x, rows - (batch - Shape::lag) * Shape::batch, lane);
            to += Shape::batch * operands.target.pitch;
        }
    }

    __device__ static void addBatch(const separable::ByteBands<Shape> &bands,
                                    const separable::BytePixels<Shape> &pixels, Sums &sums) {
        GPU_UNROLL
        for (int tile = 0; tile < Shape::tiles; ++tile) {
            float across[2][4]; // of 8 rows each
            separable::sumAcross<Shape>(bands, pixels, tile, across);
            GPU_UNROLL
            for (int column = 0; column < 2; ++column)
                separable::sumDown<Shape>(bands, separable::ByteSums(across, column), sums[tile][column]);
        }
    }

    // 16 rows of a warp's columns by way of shared memory, so that they leave 16 bytes at a time.
    __device__ void store(const Sums &sums, uint4 *own, unsigned char *to, int x, int rowsLeft, int lane) const {
        constexpr int stride = Shape::lineStride, tiles = Shape::tiles;
        auto *const words = reinterpret_cast<unsigned *>(own) + lane / 4 * stride * 4 + lane % 4;
        GPU_UNROLL
        for (int tile = 0; tile < tiles; ++tile)
            GPU_UNROLL
        for (int half = 0; half < 2; ++half)
            words[half * 8 * stride * 4 + tile * 4] = levels(sums[tile], half);
        __syncwarp();
        GPU_UNROLL
        for (int i = 0; i < tiles / 2; ++i) {
            const int piece = lane + warpSize_ * i, row = piece / tiles, column = piece % tiles;
            const int left = operands.target.width - (x + column * 16);
            unsigned char *const there = to + std::ptrdiff_t(row) * operands.target.pitch + column * 16;
            const uint4 *const line = own + row * stride + column;
            if (row < rowsLeft && left >= 16)
                __stcs(reinterpret_cast<uint4 *>(there), *line);
            else if (row < rowsLeft)
                for (int b = 0; b < left; ++b)
                    there[b] = reinterpret_cast<const unsigned char *>(line)[b];
        }
        __syncwarp();
    }

    __device__ unsigned levels(const float (&sums)[2][Shape::underWay][4], int half) const {
        int level[4];
        GPU_UNROLL
        for (int i = 0; i < 4; ++i) {
            const float sum = sums[i / 2][0][half * 2 + i % 2];
            if constexpr (quick)
                level[i] = __float_as_int(fmaf(sum, operands.scale, operands.base)) - 0x4b400000;
            else
                level[i] = finished(sum * operands.scale);
        }
        return tensor::packSaturated(level[0], level[1], level[2], level[3]);
    }
    __device__ int finished(float sum) const {
        if (operands.finish.divisor != 1.0f)
            sum = separable::divided(sum, operands.finish.divisor, operands.reciprocal);
        return separable::finishQuickly<std::uint8_t>(operands.finish, sum);
    }
};

} // namespace tessera

#endif
