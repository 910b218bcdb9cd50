// Convolution on the tensor cores. GPU only, compute capability 8.0 and later: the simulator has no tensor cores.
//
// What the FFMA kernels cannot pass: one multiply-add a lane and instruction. A tensor core multiplies a 16-row piece
// of the picture by a matrix of 8 columns in one instruction; 16 times as many products an instruction, of which a band
// matrix wastes part. For one kernel row w the 8 (here 16, in two instructions) neighbouring outputs of each of 16
// picture rows are
//
//     out[row][n] += sum over k of picture[row][k] * band[k][n],   band[k][n] = w[k - n], 0 outside the kernel
//
// so the band is a Toeplitz matrix, the same for the whole picture: it stands in shared memory, cut into the words that
// each lane hands to the instruction. The windows picture[row][k] are read with ldmatrix, straight out of the staged
// picture. A warp's tiles take every second row each (`interleave`): the window at row s serves kernel row s of the
// even rows and kernel row s - 1 of the odd ones, so that every window is loaded once for two kernel rows.
//
// TensorNumber says what is multiplied, and so how exact the result is. Halves are summed in float32, but the tensor
// cores cut sums off where an FFMA rounds them: Split moves its sums into ordinary registers every few rows, before
// that shows. An infinity or a NaN would meet the band's zeros and spoil its neighbours: an output that is not finite
// is made anew, product by product, as the float kernels make it.
#pragma once

#include "gpu/kernels/tensor_fragments.h"
#include "gpu/kernels/tensor_staging.h"
#include "gpu/kernels/tensor_store.h"

namespace tessera {

template <TensorShape Shape> struct TensorConvolve {
    static constexpr int maximumThreads = Shape.threads();
    static constexpr int minimumBlocks = Shape.blocks;

    TensorOperands operands;

    template <class Block> __device__ void operator()(Block &block) const {
#if __CUDA_ARCH__ >= 800
        const int bufferBytes = Shape.bufferBytes(operands.tapsHeight);
        auto staged = block.template shared<uint4>(bufferBytes / 16 * operands.stages);
        auto table = block.template shared<std::uint32_t>(Shape.tableWords(operands.tapsHeight));
        auto maxima = block.template shared<std::uint32_t>(2);
        auto *buffers = reinterpret_cast<unsigned char *>(staged.data);
        loadTable(table.data, maxima.data);

        const tensor::Stager<Shape> stager(operands);
        stager.clear(staged.data, bufferBytes / 16 * operands.stages);
        // With two buffers the next tile travels while this one is computed, and one barrier a tile says both that its
        // copies have landed and that nobody needs the other buffer any more.
        const bool ahead = operands.stages == 2;
        TileWalk current(operands.tiles), staging = current;
        int turn = 0;
        for (bool first = ahead; first || current.inside(); turn ^= 1) {
            if (ahead && !first) {
                tensor::waitForCopies();
                __syncthreads();
            }
            if (staging.inside())
                stager.stage(staging.tile(), buffers + (ahead && turn != 0 ? bufferBytes : 0));
            staging.advance();
            if (first) {
                first = false;
                continue;
            }
            if (!ahead) {
                tensor::waitForCopies();
                __syncthreads();
            }
            unsigned char *buffer = buffers + (ahead && turn == 0 ? bufferBytes : 0);
            const float scale = stager.arrange(buffer, maxima.data, turn);
            computeTile(current.tile(), buffer, table.data, operands.step * scale);
            if (!ahead)
                __syncthreads(); // all have read the tile before it is overwritten
            current.advance();
        }
#else
        (void)block; // the planner refuses devices before 8.0
#endif
    }

private:
    static constexpr bool whole = Shape.number == TensorNumber::Whole;
    static constexpr bool split = Shape.number == TensorNumber::Split;
    static constexpr int interleave = Shape.interleave, groups = Shape.groups, across = Shape.groupsAcross();
    static constexpr int tilesPerGroup = Shape.tilesPerGroup, terms = Shape.terms, kBlocks = Shape.kBlocks;
    static constexpr int sumTerms = whole ? terms : 1; // whole numbers of different weight do not add up
    static constexpr int groupPieces = Shape.groupColumns() / Shape.pieceColumns();
    static constexpr int copyWords = Shape.copyWords(), rowWords = Shape.rowWords();
    static constexpr int tapWords = terms * Shape.shifts() * copyWords; // of one kernel row
    static constexpr int rowsBetweenMoves = 8;
    static_assert(interleave == 2);

    using Number = std::conditional_t<whole, int, float>;
    using Sums = Number[sumTerms][interleave][groups][tilesPerGroup][4];
    using Bands = tensor::Band[interleave][terms][tilesPerGroup][kBlocks];

    // A block's tiles: every gridDim.x-th in rows, without a division a tile.
    class TileWalk {
    public:
        __device__ explicit TileWalk(Extent tiles)
            : tiles_(tiles), step_{int(gridDim.x) % tiles.x, int(gridDim.x) / tiles.x}, tile_{int(blockIdx.x) % tiles.x,
                                                                                              int(blockIdx.x) /
                                                                                                  tiles.x} {}
        __device__ bool inside() const { return tile_.y < tiles_.y; }
        __device__ Extent tile() const { return tile_; }
        __device__ void advance() {
            const int x = tile_.x + step_.x;
            const bool wraps = x >= tiles_.x;
            tile_ = {wraps ? x - tiles_.x : x, tile_.y + step_.y + (wraps ? 1 : 0)};
        }

    private:
        Extent tiles_, step_, tile_;
    };

    // The taps' words as they came, then the copies that begin one tap later each.
    __device__ void loadTable(std::uint32_t *table, std::uint32_t *maxima) const {
        const int rows = operands.tapsHeight * terms;
        constexpr int rowDistance = Shape.shifts() * copyWords;
        for (int i = int(threadIdx.x); i < rows * rowWords; i += Shape.threads())
            table[i / rowWords * rowDistance + i % rowWords] = operands.words[i];
        if (threadIdx.x < 2)
            maxima[threadIdx.x] = 0;
        __syncthreads();
        for (int i = int(threadIdx.x); i < rows * rowWords; i += Shape.threads()) {
            std::uint32_t *row = table + i / rowWords * rowDistance;
            const int word = i % rowWords;
            const std::uint32_t here = row[word], before = word > 0 ? row[word - 1] : 0;
            for (int copy = 1; copy < Shape.shifts(); ++copy)
                row[copy * copyWords + word] = __funnelshift_l(before, here, unsigned(32 / Shape.shifts() * copy));
        }
        __syncthreads();
    }

    // Where in a kernel row's words this lane's begin.
    __device__ static int bandOffset(int lane) {
        const int column = lane >> 2, quarter = lane & 3;
        const int back = !whole && tilesPerGroup == 2 ? 2 * (column >> 1) : column >> 1;
        return (column & 1) * copyWords + quarter - back + Shape.leadingWords();
    }
    __device__ static void loadBands(tensor::Band (&bands)[terms][tilesPerGroup][kBlocks], const std::uint32_t *words) {
#pragma unroll
        for (int term = 0; term < terms; ++term)
#pragma unroll
            for (int tile = 0; tile < tilesPerGroup; ++tile)
#pragma unroll
                for (int k = 0; k < kBlocks; ++k)
#pragma unroll
                    for (int i = 0; i < 2; ++i)
                        bands[term][tile][k].part[i] = words[term * Shape.shifts() * copyWords +
                                                             (whole ? 2 * tile * copyWords : -tile) + 8 * k + 4 * i];
    }

    // All products of the windows at one row with the kernel rows of the tiles First to Last.
    template <int First, int Last>
    __device__ static void multiplyRow(Sums &sums, const Bands &bands, std::uint32_t address) {
#pragma unroll
        for (int channel = 0; channel < Shape.channels; ++channel)
#pragma unroll
            for (int piece = 0; piece < (across - 1) * groupPieces + 2 * kBlocks - 1; ++piece) {
                if (piece % (groupPieces == 1 && across > 1 ? 1 : 2) != 0)
                    continue; // no group's window lies there
                const std::uint32_t place =
                    address + std::uint32_t(piece * Shape.pieceBytes() + channel * 16 * Shape.parts());
                tensor::Window window[Shape.parts()];
#pragma unroll
                for (int part = 0; part < Shape.parts(); ++part)
                    window[part] = tensor::loadWindow(place + std::uint32_t(16 * part));
#pragma unroll
                for (int k = 0; k < kBlocks; ++k) {
                    const int group = (piece - 2 * k) / groupPieces;
                    if (piece < 2 * k || group >= across)
                        continue;
#pragma unroll
                    for (int row = First; row <= Last; ++row)
#pragma unroll
                        for (int tile = 0; tile < tilesPerGroup; ++tile) {
#pragma unroll
                            for (int term = 0; term < terms; ++term)
                                tensor::multiplyAdd(sums[whole ? term : 0][row][channel * across + group][tile],
                                                    window[0], bands[row][term][tile][k]);
                            if constexpr (split)
                                tensor::multiplyAdd(sums[0][row][channel * across + group][tile],
                                                    window[Shape.parts() - 1], bands[row][0][tile][k]);
                        }
                }
            }
    }

    __device__ void computeTile(Extent tile, const unsigned char *current, const std::uint32_t *table,
                                float scale) const {
        const int lane = int(threadIdx.x) % 32, warp = int(threadIdx.x) / 32;
        const int warpX = warp % Shape.warpColumns, warpY = warp / Shape.warpColumns;
        const int height = operands.tapsHeight;
        const std::uint32_t classBytes = std::uint32_t(Shape.classRows(height) * Shape.pitch());
        const std::uint32_t first = tensor::sharedAddress(current) +
                                    std::uint32_t((warpY * 16 + (lane & 15)) * Shape.pitch()) +
                                    std::uint32_t((warpX * across * groupPieces + (lane >> 4)) * Shape.pieceBytes());
        const auto windowAt = [&](int row) {
            return first + std::uint32_t(row % interleave) * classBytes +
                   std::uint32_t(row / interleave * Shape.pitch());
        };
        const std::uint32_t *words = table + bandOffset(lane);
        Sums sums = {};
        Number moved[split ? interleave : 1][split ? groups : 1][split ? tilesPerGroup : 1][4] = {};
        Bands bands;

        // Kernel row 0 for the even rows alone, then both, then the last kernel row for the odd rows.
        loadBands(bands[0], words);
        multiplyRow<0, 0>(sums, bands, windowAt(0));
        int row = 1;
        while (row < height) {
            const int end = split ? min(height, row + rowsBetweenMoves) : height;
#pragma unroll 1
            for (; row < end; ++row) {
                copyBands(bands[1], bands[0]);
                words += tapWords;
                loadBands(bands[0], words);
                multiplyRow<0, 1>(sums, bands, windowAt(row));
            }
            if constexpr (split)
                moveSums(moved, sums);
        }
        copyBands(bands[1], bands[0]);
        multiplyRow<1, 1>(sums, bands, windowAt(height));
        if constexpr (split)
            moveSums(moved, sums);

        storeTile(tensor::Storer<Shape>(operands, table, tile, warpX, warpY, lane), sums, moved, scale);
    }

    template <class Moved>
    __device__ static void storeTile(const tensor::Storer<Shape> &storer, const Sums &sums, const Moved &moved,
                                     float scale) {
        const auto valuesOf = [&](int half, int odd, int group) {
            typename tensor::Storer<Shape>::Values values;
#pragma unroll
            for (int channel = 0; channel < Shape.channels; ++channel)
#pragma unroll
                for (int i = 0; i < 2 * tilesPerGroup; ++i) {
                    const int g = channel * across + group, at = half * 2 + i % 2;
                    if constexpr (split)
                        values.at[i][channel] = moved[odd][g][i / 2][at];
                    else if constexpr (sumTerms == 2)
                        values.at[i][channel] = float(sums[0][odd][g][i / 2][at] * 256 + sums[1][odd][g][i / 2][at]);
                    else
                        values.at[i][channel] = float(sums[0][odd][g][i / 2][at]);
                }
            return values;
        };
        const auto forEach = [](auto function) {
#pragma unroll
            for (int half = 0; half < 2; ++half)
#pragma unroll
                for (int odd = 0; odd < interleave; ++odd)
#pragma unroll
                    for (int group = 0; group < across; ++group)
                        function(half, odd, group);
        };
        bool quick = storer.quick();
        if constexpr (!whole) {
            float check = 0; // a product with 0 is 0, or else the value is not finite
            forEach([&](int half, int odd, int group) { check += storer.zeroIfFinite(valuesOf(half, odd, group)); });
            quick = quick && check == 0.0f;
        }
        if (quick)
            forEach([&](int half, int odd, int group) {
                storer.storeQuickly(half, odd, group, valuesOf(half, odd, group), scale);
            });
        else
            forEach([&](int half, int odd, int group) {
                storer.storeCarefully(half, odd, group, valuesOf(half, odd, group), scale);
            });
    }

    __device__ static void copyBands(tensor::Band (&to)[terms][tilesPerGroup][kBlocks],
                                     const tensor::Band (&from)[terms][tilesPerGroup][kBlocks]) {
#pragma unroll
        for (int term = 0; term < terms; ++term)
#pragma unroll
            for (int tile = 0; tile < tilesPerGroup; ++tile)
#pragma unroll
                for (int k = 0; k < kBlocks; ++k)
                    to[term][tile][k] = from[term][tile][k];
    }
    template <class Moved> __device__ static void moveSums(Moved &moved, Sums &sums) {
#pragma unroll
        for (int row = 0; row < interleave; ++row)
#pragma unroll
            for (int group = 0; group < groups; ++group)
#pragma unroll
                for (int tile = 0; tile < tilesPerGroup; ++tile)
#pragma unroll
                    for (int i = 0; i < 4; ++i) {
                        moved[row][group][tile][i] += sums[0][row][group][tile][i];
                        sums[0][row][group][tile][i] = 0;
                    }
    }
};

} // namespace tessera
