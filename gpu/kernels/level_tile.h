// Convolution of 8-bit pictures, small kernels, on tensor cores: each warp makes a tile, whose window one copy fetches
// (warp_box.h). Tiles follow each other closely over the picture and end; strips that blocks walk down, in one wave,
// took 5 to 15 % longer.
//
// A product m16n8k32 multiplies 16 windows of 16 columns and two rows by a band of taps 8 outputs wide. What a lane
// gives of a window is one aligned word of a picture row, so windows need no arranging, and each, once loaded, stays in
// registers for all rows of outputs that need it. Taps come as three signed digits of eight bits, whose products with
// 8-bit pixels are summed without any error (gpu/launch/level_digits.h); a scale each makes one float of the three
// sums. The sums begin with the bits of 1.5 * 2^23, so that, read as floats, they are that plus the sum, and no
// conversion is needed; operands.base takes it off again. Nor is one at the end: the bits of value * 2^-149 are the
// nearest whole number, ties to even, negative ones are large negative integers, and one instruction saturates and
// packs two of them.
//
// For the GPU alone (compute capability 9.0).
#pragma once

#include "gpu/kernels/level_layout.h"

namespace tessera {

#if defined(__CUDACC__)

// d += a * b, where sums begin with c.
__device__ inline void multiplyLevels(int (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                                      const int *c) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %11, %12, %13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
#else
    __trap();
#endif
}

// upper << 16 | level of b << 8 | level of a; both whole numbers in a float's bits.
__device__ inline std::uint32_t packLevels(float a, float b, std::uint32_t upper) {
    std::uint32_t packed = 0;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
        : "=r"(packed)
        : "r"(__float_as_int(b)), "r"(__float_as_int(a)), "r"(upper));
#else
    __trap();
#endif
    return packed;
}

// `plain`: as LevelFinish::plain says. A template argument, since a question for every product would part one's
// arithmetic from the next one's.
template <LevelShape shape, bool plain> struct LevelTile {
    static constexpr int channels = shape.channels, pairs = shape.pairs, tiles = shape.tiles;
    static constexpr int rows = shape.rows(), columns = shape.columns(), side = shape.side();
    static constexpr LevelLayout layout = LevelLayout::of(shape);
    static constexpr int maximumThreads = shape.warps * warpSize_;
    static constexpr int minimumBlocks = fetchingBlocks(shape.blocks);
    static constexpr bool boxes = channels == 1; // outputs leave by tensor copies
    using P = Pixel<std::uint8_t, channels>;
    using Box = WarpBox<P, columns, shape.boxRows()>;
    // Outputs wait for their copies where the window's rows were that no lane needs any more: two rows of them reach no
    // further than the first two rows that the window then still has.
    static_assert(!boxes || (side >= 3 && columns <= Box::layout.pitch));

    TensorMap sourceMap, targetMap; // first, as they are aligned the most; of the latter, boxes of columns x rows bytes
    LevelOperands<P> operands;

    template <class Block> __device__ void operator()(Block &) const { make(); }

    __device__ void make() const {
        const int warp = __shfl_sync(~0u, int(threadIdx.x) / warpSize_, 0); // now known to be the same in all lanes
        const WarpTile tile = WarpTile::of(warp, shape.warps, columns, shape.outputRows(), operands.target.height);
        const Box box =
            Box::of(tile, operands, sourceMap, side / 2, dynamicShared(), dynamicShared() + layout.barriers, warp);
        const bool mine = tile.x < operands.target.width;
        if (mine)
            box.fetch();
        padTaps();
        __syncthreads();
        if (!mine)
            return;
        Progress at = progressOf(tile, box.data);
        readBands(at.band);
        const bool ragged = tile.x + columns > operands.target.width;
        const unsigned char *window = box.wait() + at.part;
        loadFirst(at.window, window);
        window += (side - 1) * Box::layout.pitch;
        GPU_ROLL for (int part = 0; part < shape.parts && at.left > 0; ++part, window += rows * Box::layout.pitch) {
            if (boxes || (!ragged && at.left >= rows))
                addPart<true>(at, tile, window, false);
            else
                addPart<false>(at, tile, window, ragged);
        }
        if (boxes && lane() == 0)
            waitUntilBoxesAreRead<0>();
    }

private:
    using Window = std::uint32_t[channels][4];
    using Bands = std::uint32_t[2][levelDigits][pairs][2];
    using Levels = float[channels][4]; // two neighbours, and two 64 columns on

    // What a lane keeps from part to part.
    struct Progress {
        Bands band;
        Window window[tiles][pairs];
        int first[4];       // what sums begin with
        int part, column;   // its first byte of a row's window, its first output
        unsigned char *to;  // where that goes
        unsigned char *out; // where a part's outputs wait for their copy
        int left;           // rows still to be made
    };

    __device__ static unsigned char *dynamicShared() {
        extern __shared__ __align__(128) unsigned char levelTileMemory[];
        return levelTileMemory;
    }
    __device__ static int lane() { return int(threadIdx.x) % warpSize_; }

    __device__ static std::uint32_t *paddedTaps() {
        return reinterpret_cast<std::uint32_t *>(dynamicShared() + layout.taps);
    }
    __device__ void padTaps() const {
        for (int i = int(threadIdx.x); i < layout.paddedWords; i += maximumThreads) {
            const int word = i % 8 - 3;
            const bool tap = i / 8 < levelDigits * side && word >= 0 && word < levelTapWords;
            paddedTaps()[i] = tap ? operands.taps[i / 8 * levelTapWords + word] : 0;
        }
    }

    // A lane's part of the bands: column lane / 4 of them, columns 4 * (lane % 4) to + 3 of the window. Both sets hold
    // the same rows of taps, one of them a row later. They come from memory each by itself, as the compiler would else
    // keep one copy and move it into place before every product.
    __device__ static void readBands(Bands &band) {
        const int offset = 4 * (lane() % 4) - boxReach - lane() / 4 + side / 2 + 12;
        GPU_UNROLL for (int set = 0; set < 2; ++set) GPU_UNROLL for (int d = 0; d < levelDigits; ++d)
            GPU_UNROLL for (int p = 0; p < pairs; ++p) GPU_UNROLL for (int i = 0; i < 2; ++i) {
            const int v = 2 * p + i - set;
            const bool inside = v >= 0 && v < side;
            const volatile std::uint32_t *at =
                paddedTaps() + (inside ? (d * side + v) * 8 + offset / 4 : levelDigits * side * 8);
            const std::uint32_t low = at[0], high = inside ? at[1] : 0;
            band[set][d][p][i] = __funnelshift_r(low, high, 8 * (offset % 4));
        }
    }

    __device__ Progress progressOf(const WarpTile &tile, unsigned char *box) const {
        Progress at;
        constexpr int start = 0x4b400000; // the float 1.5 * 2^23
        GPU_UNROLL for (int i = 0; i < 4; ++i) at.first[i] = start;
        // They stay in registers.
        asm volatile("" : "+r"(at.first[0]), "+r"(at.first[1]), "+r"(at.first[2]), "+r"(at.first[3]));
        at.part = (8 * (lane() / 4) + 4 * (lane() % 4)) * channels;
        at.column = 8 * (lane() / 4) + 2 * (lane() % 4);
        at.to = reinterpret_cast<unsigned char *>(operands.target.data) + tile.y * operands.target.pitch +
                std::ptrdiff_t(tile.x + at.column) * channels;
        at.out = box;
        at.left = tile.outputs;
        return at;
    }

    // The rows above the last two that a part's first outputs see.
    __device__ static void loadFirst(Window (&window)[tiles][pairs], const unsigned char *rows) {
        GPU_UNROLL for (int p = 1; p < pairs; ++p) GPU_UNROLL for (int t = 0; t < tiles; ++t)
            load(window[t][p], rows + (2 * p - 2) * Box::layout.pitch + 128 * channels * t);
    }

    // A lane's words of two rows of a window and of another 64 columns on; pixels of four channels sorted by channel.
    __device__ static void load(Window &window, const unsigned char *at) {
        GPU_UNROLL for (int i = 0; i < 4; ++i) {
            const unsigned char *word = at + (i / 2) * Box::layout.pitch + (i % 2) * 64 * channels;
            if constexpr (channels == 1) {
                window[0][i] = *reinterpret_cast<const std::uint32_t *>(word);
            } else {
                const uint4 four = *reinterpret_cast<const uint4 *>(word);
                const std::uint32_t low01 = __byte_perm(four.x, four.y, 0x5140);
                const std::uint32_t high01 = __byte_perm(four.x, four.y, 0x7362);
                const std::uint32_t low23 = __byte_perm(four.z, four.w, 0x5140);
                const std::uint32_t high23 = __byte_perm(four.z, four.w, 0x7362);
                window[0][i] = __byte_perm(low01, low23, 0x5410);
                window[1][i] = __byte_perm(low01, low23, 0x7632);
                window[2][i] = __byte_perm(high01, high23, 0x5410);
                window[3][i] = __byte_perm(high01, high23, 0x7632);
            }
        }
    }

    // A part's rows of outputs. `whole`: all of them are stored.
    template <bool whole>
    __device__ void addPart(Progress &at, const WarpTile &tile, const unsigned char *box, bool ragged) const {
        const int x = tile.x + at.column;
        GPU_UNROLL for (int j = 0; j < rows / 2; ++j) {
            if constexpr (boxes)
                __syncwarp(); // all lanes have what the rows below take the place of
            GPU_UNROLL for (int t = 0; t < tiles; ++t) {
                load(at.window[t][j % pairs], box + 2 * j * Box::layout.pitch + 128 * channels * t);
                GPU_UNROLL for (int set = 0; set < 2; ++set) {
                    Levels levels;
                    multiply(levels, at, j, t, set);
                    if constexpr (boxes)
                        keep(at.out + (2 * j + set) * columns + 128 * t + at.column, levels);
                    else if (whole || 2 * j + set < at.left)
                        store(at.to + set * operands.target.pitch + 128 * channels * t, levels,
                              operands.target.width - x - 128 * t, !whole && ragged);
                }
            }
            at.to += 2 * operands.target.pitch;
        }
        if constexpr (boxes) {
            sendBox(at.out, tile, at.left);
            at.out += rows * columns;
        }
        at.left -= rows;
    }

    __device__ void multiply(Levels &levels, const Progress &at, int j, int t, int set) const {
        GPU_UNROLL for (int c = 0; c < channels; ++c) {
            int sum[levelDigits][4];
            GPU_UNROLL for (int p = 0; p < pairs; ++p) GPU_UNROLL for (int d = 0; d < levelDigits; ++d) multiplyLevels(
                sum[d], at.window[t][(j + 1 + p) % pairs][c], at.band[set][d][p], p == 0 ? &at.first[0] : &sum[d][0]);
            GPU_UNROLL for (int i = 0; i < 4; ++i) levels[c][i] = finished(sum, i);
        }
    }

    // A whole number in a float's bits.
    __device__ float finished(const int (&sum)[levelDigits][4], int i) const {
        const LevelFinish &finish = operands.finish;
        float value = fmaf(__int_as_float(sum[0][i]), finish.scale[0], finish.base);
        GPU_UNROLL for (int d = 1; d < levelDigits; ++d) value =
            fmaf(__int_as_float(sum[d][i]), finish.scale[d], value);
        const float unit = __int_as_float(1); // 2^-149
        if constexpr (plain)
            return value * unit;
        // A quotient, and once more what it leaves over: as a division rounds.
        float quotient = value * finish.reciprocal;
        quotient = fmaf(fmaf(-quotient, finish.divisor, value), finish.reciprocal, quotient);
        return fmaf(__uint_as_float(__float_as_uint(quotient + finish.offset) & finish.mask), unit, finish.bias);
    }

    __device__ static void keep(unsigned char *at, const Levels &levels) {
        GPU_UNROLL for (int half = 0; half < 2; ++half) * reinterpret_cast<std::uint16_t *>(at + 64 * half) =
            std::uint16_t(packLevels(levels[0][2 * half], levels[0][2 * half + 1], 0));
    }

    // Of four channels. left: outputs from this lane's first on; ragged: some lane has fewer than all.
    __device__ static void store(unsigned char *at, const Levels &levels, int left, bool ragged) {
        GPU_UNROLL for (int half = 0; half < 2; ++half) {
            const auto pixel = [&](int i) {
                return packLevels(levels[0][i], levels[1][i], packLevels(levels[2][i], levels[3][i], 0));
            };
            unsigned char *to = at + 64 * channels * half;
            const uint2 two{pixel(2 * half), pixel(2 * half + 1)};
            if (!ragged || left > 64 * half + 1)
                *reinterpret_cast<uint2 *>(to) = two;
            else if (left > 64 * half)
                *reinterpret_cast<std::uint32_t *>(to) = two.x;
        }
    }

    // The target's map clips what is not wanted, but for rows that end within 16 bytes.
    __device__ void sendBox(const unsigned char *own, const WarpTile &tile, int left) const {
        const int y = tile.y + tile.outputs - left, wanted = operands.target.width - tile.x;
        orderWritesBeforeCopies();
        __syncwarp();
        if (wanted < columns && wanted % 16 != 0) {
            GPU_ROLL for (int r = 0; r < (left < rows ? left : rows); ++r)
                GPU_ROLL for (int i = lane(); i < wanted; i += warpSize_) operands.target.address(tile.x + i, y + r)
                    ->channel[0] = own[r * columns + i];
        } else if (lane() == 0) {
            storeBox(&targetMap, tile.x, y, own);
        }
    }
};

#endif

} // namespace tessera
