// Convolution of half-precision pictures of one channel, kernels of up to 9x9, on tensor cores: each warp makes a
// tile, whose window one copy fetches (warp_box.h).
//
// A product m16n8k16 multiplies 16 windows of 16 columns of one row by a band of taps 8 outputs wide; see
// level_tile.h. Each tap is the sum of two halves, scaled so that the largest is just below 2^15: 22 bits of it. Sums
// run in float, cut off at 23 bits twice a product. Against the exact sum that is at most
//   (2^-22 + 4 * side * 2^-23) * the sum of the taps' magnitudes * the largest value,
// before the result is rounded to a half. Where a window meets an infinity or a NaN, the band's zeros make a NaN of it
// for outputs whose own taps never see it: results that are not finite are made anew, tap by tap.
//
// For the GPU alone (compute capability 9.0).
#pragma once

#include "gpu/kernels/warp_box.h"

namespace tessera {

struct HalfShape {
    int side;   // of a centred square
    int turns;  // a part has side * turns rows, after which windows lie in the same registers again
    int parts;  // of a warp's outputs, in a loop
    int chains; // independent sums of an output, so that products need not wait for each other
    int blocks; // on a multiprocessor

    GPU_CODE constexpr int rows() const { return side * turns; } // of a part
    GPU_CODE constexpr int outputRows() const { return parts * rows(); }
    GPU_CODE constexpr int boxRows() const { return outputRows() + side - 1; }
};

inline constexpr int halfWarps = 4;     // of a block
inline constexpr int halfColumns = 128; // of a warp
inline constexpr int halfTerms = 2;
inline constexpr int largestHalfSide = 9;
inline constexpr int halfTapWords = 5; // of a term's row of taps: up to 9 halves, and a zero

// Where things lie in a block's shared memory: the warps' boxes, barriers, taps.
struct HalfLayout {
    int barriers, taps;
    int paddedWords; // of the taps with zeros around, from which lanes cut their part of a band
    int sharedBytes;

    GPU_CODE static constexpr HalfLayout of(const HalfShape &shape) {
        HalfLayout layout{};
        layout.barriers = halfWarps * BoxLayout::of(halfColumns, shape.boxRows(), 2).bytes;
        layout.taps = layout.barriers + halfWarps * 8;
        layout.paddedWords = halfTerms * shape.side * 16;
        layout.sharedBytes = layout.taps + 4 * layout.paddedWords;
        return layout;
    }
};

struct HalfOperands {
    using P = Pixel<Half, 1>;
    BorderedView<P> source;
    ImageView<P> target;
    int originX = 0;
    int originY = 0;
    float scale = 1.0f, offset = 0.0f;
    std::uint32_t taps[halfTerms * largestHalfSide * halfTapWords] = {};
};

#if defined(__CUDACC__)

// d += a * b
__device__ inline void multiplyHalves(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    __trap();
#endif
}

// One output, tap by tap. A call, as what it needs would else take registers from all.
template <int side> __device__ __noinline__ float plainHalfSum(const HalfOperands &operands, int x, int y) {
    const auto &source = operands.source;
    const auto tap = [&](int row, int u) {
        return __half2float(
            __ushort_as_half((unsigned short)(operands.taps[row * halfTapWords + u / 2] >> (u % 2 * 16))));
    };
    float sum = 0.0f;
    GPU_ROLL for (int v = 0; v < side; ++v) GPU_ROLL for (int u = 0; u < side; ++u) {
        const int column = borderIndex(source.mode, x + operands.originX + u - side / 2, source.inside.width);
        const int row = borderIndex(source.mode, y + operands.originY + v - side / 2, source.inside.height);
        const Half value =
            column < 0 || row < 0 ? source.outside.channel[0] : source.inside.address(column, row)->channel[0];
        sum += (tap(v, u) + tap(side + v, u)) * __half2float(__ushort_as_half(value.bits));
    }
    return sum;
}

// Those of a lane's outputs in `count` rows, all of them stored by itself, that came out as no finite number.
template <int side> __device__ __noinline__ void redoHalves(const HalfOperands &operands, int x, int row, int count) {
    const auto &target = operands.target;
    GPU_ROLL for (int y = row; y < row + count && y < target.height; ++y) GPU_ROLL for (int i = 0; i < 4; ++i) {
        const int column = x + i % 2 + 64 * (i / 2);
        if (column >= target.width)
            continue;
        Half &stored = target.address(column, y)->channel[0];
        if ((stored.bits & 0x7c00u) != 0x7c00u)
            continue;
        const float sum = plainHalfSum<side>(operands, column, y);
        stored.bits = __half_as_ushort(__float2half_rn(fmaf(sum, operands.scale, operands.offset)));
    }
}

template <HalfShape shape> struct HalfTile {
    static constexpr int side = shape.side, rows = shape.rows();
    static constexpr HalfLayout layout = HalfLayout::of(shape);
    static constexpr int maximumThreads = halfWarps * warpSize_;
    static constexpr int minimumBlocks = fetchingBlocks(shape.blocks);
    using P = HalfOperands::P;
    using Box = WarpBox<P, halfColumns, shape.boxRows()>;

    TensorMap sourceMap; // first, as it is aligned the most
    HalfOperands operands;

    template <class Block> __device__ void operator()(Block &) const { make(); }

    __device__ void make() const {
        const int warp = __shfl_sync(~0u, int(threadIdx.x) / warpSize_, 0); // now known to be the same in all lanes
        const WarpTile tile = WarpTile::of(warp, halfWarps, halfColumns, shape.outputRows(), operands.target.height);
        const Box box =
            Box::of(tile, operands, sourceMap, side / 2, dynamicShared(), dynamicShared() + layout.barriers, warp);
        const bool mine = tile.x < operands.target.width;
        if (mine)
            box.fetch();
        padTaps();
        __syncthreads();
        if (!mine)
            return;
        Progress at = progressOf(tile);
        readBands(at.band);
        const bool ragged = tile.x + halfColumns > operands.target.width;
        const unsigned char *window = box.wait() + 2 * at.column;
        GPU_UNROLL for (int v = 1; v < side; ++v) load(at.window[v], window + (v - 1) * Box::layout.pitch);
        window += (side - 1) * Box::layout.pitch;
        GPU_ROLL for (int part = 0; part < shape.parts && at.left > 0; ++part, window += rows * Box::layout.pitch) {
            if (!ragged && at.left >= rows)
                addPart<true>(at, tile, window, false);
            else
                addPart<false>(at, tile, window, ragged);
        }
    }

private:
    // What a lane keeps from part to part.
    struct Progress {
        std::uint32_t band[halfTerms][side][2];
        std::uint32_t window[side][4];
        int column;        // of its first output
        unsigned char *to; // where that goes
        int left;          // rows still to be made
    };

    __device__ static unsigned char *dynamicShared() {
        extern __shared__ __align__(128) unsigned char halfTileMemory[];
        return halfTileMemory;
    }
    __device__ static int lane() { return int(threadIdx.x) % warpSize_; }

    __device__ static std::uint32_t *paddedTaps() {
        return reinterpret_cast<std::uint32_t *>(dynamicShared() + layout.taps);
    }
    __device__ void padTaps() const {
        for (int i = int(threadIdx.x); i < layout.paddedWords; i += maximumThreads) {
            const int word = i % 16 - 6;
            paddedTaps()[i] = word >= 0 && word < halfTapWords ? operands.taps[i / 16 * halfTapWords + word] : 0;
        }
    }

    // A lane's part of the bands: column lane / 4 of them; of the window, columns 2 * (lane % 4) and the next, and
    // those 8 further on.
    __device__ static void readBands(std::uint32_t (&band)[halfTerms][side][2]) {
        const int offset = 2 * (lane() % 4) - boxReach - lane() / 4 + side / 2 + 12;
        GPU_UNROLL for (int t = 0; t < halfTerms; ++t) GPU_UNROLL for (int v = 0; v < side; ++v)
            GPU_UNROLL for (int unit = 0; unit < 2; ++unit) {
            const std::uint32_t *at = paddedTaps() + (t * side + v) * 16 + 4 * unit + offset / 2;
            band[t][v][unit] = __funnelshift_r(at[0], at[1], 16 * (offset % 2));
        }
    }

    __device__ Progress progressOf(const WarpTile &tile) const {
        Progress at;
        at.column = 8 * (lane() / 4) + 2 * (lane() % 4);
        at.to = reinterpret_cast<unsigned char *>(operands.target.data) + tile.y * operands.target.pitch +
                2 * std::ptrdiff_t(tile.x + at.column);
        at.left = tile.outputs;
        return at;
    }

    // A lane's words of a window of one row and of another 64 columns on.
    __device__ static void load(std::uint32_t (&window)[4], const unsigned char *at) {
        GPU_UNROLL for (int i = 0; i < 4; ++i) window[i] =
            *reinterpret_cast<const std::uint32_t *>(at + 16 * (i / 2) + 128 * (i % 2));
    }

    // A part's rows of outputs. `whole`: all of them are stored.
    template <bool whole>
    __device__ void addPart(Progress &at, const WarpTile &tile, const unsigned char *box, bool ragged) const {
        const int x = tile.x + at.column;
        __half2 check = __float2half2_rn(0.0f); // a NaN once a result was not finite
        GPU_UNROLL for (int j = 0; j < rows; ++j) {
            load(at.window[j % side], box + j * Box::layout.pitch);
            float sums[shape.chains][4] = {};
            GPU_UNROLL for (int v = 0; v < side; ++v) GPU_UNROLL for (int t = 0; t < halfTerms; ++t)
                multiplyHalves(sums[(v * halfTerms + t) % shape.chains], at.window[(j + 1 + v) % side], at.band[t][v]);
            GPU_UNROLL for (int i = 0; i < 4; ++i) GPU_UNROLL for (int c = 1; c < shape.chains; ++c) sums[0][i] +=
                sums[c][i];
            if (whole || j < at.left)
                store(at.to, sums[0], operands.target.width - x, !whole && ragged, check);
            at.to += operands.target.pitch;
        }
        if ((reinterpret_cast<const std::uint32_t &>(check) & 0x7fff7fffu) != 0)
            redoHalves<side>(operands, x, tile.y + tile.outputs - at.left, rows);
        at.left -= rows;
    }

    // left: outputs from this lane's first on; ragged: some lane has fewer than all.
    __device__ void store(unsigned char *at, const float (&sum)[4], int left, bool ragged, __half2 &check) const {
        const __half2 zero = __float2half2_rn(0.0f);
        GPU_UNROLL for (int i = 0; i < 2; ++i) {
            const __half2 out = __floats2half2_rn(fmaf(sum[2 * i], operands.scale, operands.offset),
                                                  fmaf(sum[2 * i + 1], operands.scale, operands.offset));
            check = __hfma2(out, zero, check);
            if (!ragged || left > 64 * i + 1)
                *reinterpret_cast<__half2 *>(at + 128 * i) = out;
            else if (left > 64 * i)
                *reinterpret_cast<__half *>(at + 128 * i) = __low2half(out);
        }
    }
};

#endif

} // namespace tessera
