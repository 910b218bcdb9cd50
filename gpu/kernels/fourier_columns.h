// The middle pass of the Fourier convolution (see fourier.h): columns of the tiles, forward, times the kernel's
// spectrum, and back. GPU-only: it lives on asynchronous copies.
//
// A block stays: it keeps eight columns of the spectrum in shared memory and does these columns of every tile, so that
// the spectrum is read once. While it computes one tile's columns, the next one's are on their way.
#pragma once

#include "gpu/kernels/asynchronous.h"
#include "gpu/kernels/fourier.h"

#if defined(__CUDACC__)

namespace tessera {

namespace fourier {

// Thread (column, j) of the eight columns, each 32 threads.
struct ColumnThread {
    int column = int(threadIdx.x) % columnsPerBlock;
    int j = int(threadIdx.x) / columnsPerBlock;
    Complex *across; // its elements of the exchange with j in the fast index ...
    Complex *along;  // ... and in the slow one

    __device__ explicit ColumnThread(Complex *exchange)
        : across(exchange + j * columnsPerBlock + column), along(exchange + j * columnStride + column) {}

    __device__ void storeAcross(const Complex (&x)[fourierRadix]) const {
        GPU_UNROLL
        for (int k = 0; k < fourierRadix; ++k)
            across[k * columnStride] = x[reversed(k)];
    }
    __device__ void storeAlong(const Complex (&x)[fourierRadix]) const {
        GPU_UNROLL
        for (int k = 0; k < fourierRadix; ++k)
            along[k * columnsPerBlock] = x[reversed(k)];
    }
    __device__ void loadAcross(Complex (&x)[fourierRadix]) const {
        GPU_UNROLL
        for (int k = 0; k < fourierRadix; ++k)
            x[k] = across[k * columnStride];
    }
    __device__ void loadAlong(Complex (&x)[fourierRadix]) const {
        GPU_UNROLL
        for (int k = 0; k < fourierRadix; ++k)
            x[k] = along[k * columnsPerBlock];
    }
};

template <bool inverse> __device__ inline void twiddle(Complex (&x)[fourierRadix], const Complex *table, int j) {
    GPU_UNROLL
    for (int k = 1; k < fourierRadix; ++k) {
        const Complex factor = table[k * fourierRadix + j];
        x[reversed(k)] = x[reversed(k)] * (inverse ? conjugate(factor) : factor);
    }
}

// Copies `rows` rows of eight columns; rows up to fourierSide beyond them become 0.
__device__ inline void copyColumns(Complex *to, const Complex *from, int rows) {
    constexpr int perPiece = 16 / int(sizeof(Complex)), pieces = columnsPerBlock / perPiece;
    const int piece = int(threadIdx.x) % pieces * perPiece;
#pragma unroll 4
    for (int row = int(threadIdx.x) / pieces; row < fourierSide; row += columnThreads / pieces) {
        Complex *place = to + row * columnsPerBlock + piece;
        if (row < rows)
            copyAsync(place, from + std::ptrdiff_t(row) * fourierSide + piece);
        else
            *reinterpret_cast<float4 *>(place) = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

} // namespace fourier

// The kernel's spectrum from its rows' (FourierRowsForward over the taps): conjugate, since filters here are not
// flipped, and divided by the number of elements, which the transforms back leave out. Block x: columns 8x to 8x + 7.
struct FourierSpectrum {
    static constexpr int maximumThreads = fourier::columnThreads;
    static constexpr int minimumBlocks = 1;

    const Complex *rows = nullptr; // tapsHeight rows of fourierSide
    int tapsHeight = 1;
    const Complex *twiddles = nullptr;
    Complex *spectrum = nullptr; // fourierSide rows

    template <class Block> __device__ void operator()(Block &block) const {
        const fourier::ColumnThread thread(block.template shared<Complex>(fourier::columnExchange).data);
        const int column = block.index().x * fourier::columnsPerBlock + thread.column;
        Complex x[fourierRadix];
        GPU_UNROLL
        for (int k = 0; k < fourierRadix; ++k) {
            const int row = thread.j + k * fourierRadix;
            x[k] = row < tapsHeight ? rows[row * fourierSide + column] : Complex{0.0f, 0.0f};
        }
        transform<false>(x);
        fourier::twiddle<false>(x, twiddles, thread.j);
        thread.storeAcross(x);
        __syncthreads();
        thread.loadAlong(x);
        transform<false>(x);
        constexpr float scale = 1.0f / (float(fourierSide) * float(fourierSide));
        GPU_UNROLL
        for (int k = 0; k < fourierRadix; ++k) {
            const Complex value = x[reversed(k)];
            spectrum[(thread.j + k * fourierRadix) * fourierSide + column] = {value.re * scale, -value.im * scale};
        }
    }
};

// Block (x, y): columns 8x to 8x + 7 of the tiles y, y + grid.y, ...; a tile is a column of `work` (a tile of a plane)
// and a number of outputs down.
struct FourierColumns {
    static constexpr int maximumThreads = fourier::columnThreads;
    static constexpr int minimumBlocks = 1;

    const Complex *work = nullptr; // geometry.rows() rows for each tile column
    Complex *result = nullptr;     // geometry.half rows for each
    const Complex *spectrum = nullptr;
    const Complex *twiddles = nullptr;
    FourierGeometry geometry;
    int tileColumns = 1;
    int tileRows = 1;

    template <class Block> __device__ void operator()(Block &block) const {
        Complex *exchange = block.template shared<Complex>(fourier::columnExchange).data;
        Complex *input = block.template shared<Complex>(fourier::columnElements).data;
        Complex *factors = block.template shared<Complex>(fourier::columnElements).data;
        Complex *turns = block.template shared<Complex>(fourierSide).data;
        const fourier::ColumnThread thread(exchange);
        const int firstColumn = block.index().x * fourier::columnsPerBlock;
        const int count = tileColumns * tileRows, step = block.grid().y;
        for (int i = int(threadIdx.x) * 2; i < fourierSide; i += fourier::columnThreads * 2)
            copyAsync(turns + i, twiddles + i);
        fourier::copyColumns(factors, spectrum + firstColumn, fourierSide);
        fetch(input, firstColumn, block.index().y);
        for (int tile = block.index().y; tile < count; tile += step) {
            waitForCopies();
            __syncthreads();
            Complex x[fourierRadix];
            GPU_UNROLL
            for (int k = 0; k < fourierRadix; ++k)
                x[k] = input[(thread.j + k * fourierRadix) * fourier::columnsPerBlock + thread.column];
            transform<false>(x);
            fourier::twiddle<false>(x, turns, thread.j);
            thread.storeAcross(x);
            __syncthreads();
            if (tile + step < count)
                fetch(input, firstColumn, tile + step);
            filterColumns(thread, factors, turns);
            __syncthreads();
            thread.loadAcross(x);
            transform<true>(x);
            store(thread, firstColumn, tile, x);
        }
    }

private:
    __device__ void fetch(Complex *input, int firstColumn, int tile) const {
        const int row = tile % tileRows * geometry.validY();
        const std::ptrdiff_t first = std::ptrdiff_t(tile / tileRows) * geometry.rows() + row;
        fourier::copyColumns(input, work + first * fourierSide + firstColumn, geometry.rows() - row);
    }
    // The second half of the way there, the product, and the first half of the way back. A thread writes what it alone
    // has read.
    __device__ static void filterColumns(const fourier::ColumnThread &thread, const Complex *factors,
                                         const Complex *turns) {
        Complex x[fourierRadix], y[fourierRadix];
        thread.loadAlong(x);
        transform<false>(x);
        GPU_UNROLL
        for (int k = 0; k < fourierRadix; ++k)
            y[k] = x[reversed(k)] *
                   factors[(thread.j + k * fourierRadix) * fourier::columnsPerBlock + thread.column];
        transform<true>(y);
        fourier::twiddle<true>(y, turns, thread.j);
        thread.storeAlong(y);
    }
    __device__ void store(const fourier::ColumnThread &thread, int firstColumn, int tile,
                          const Complex (&x)[fourierRadix]) const {
        const int row = tile % tileRows * geometry.validY();
        const int left = geometry.half - row;
        const int valid = (left < geometry.validY() ? left : geometry.validY()) - thread.j;
        const std::ptrdiff_t first = std::ptrdiff_t(tile / tileRows) * geometry.half + row + thread.j;
        Complex *to = result + first * fourierSide + firstColumn + thread.column;
        GPU_UNROLL
        for (int k = 0; k < fourierRadix; ++k)
            if (k * fourierRadix < valid)
                to[k * fourierRadix * fourierSide] = x[reversed(k)];
    }
};

} // namespace tessera

#endif
