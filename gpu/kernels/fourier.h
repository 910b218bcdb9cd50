// Convolution by Fourier transforms of overlapping tiles (overlap-save), for large dense kernels.
//
// What the direct kernels waste: K * K multiply-adds a pixel. A transform of 1024 x 1024 takes some 150 operations a
// pixel whatever K. Library transforms of the whole picture read and write it ten times (forward, product, inverse, a
// pass for each dimension, padding before and cropping after); here it is three passes, and each reads its input once:
//   FourierRowsForward   picture -> rows of tiles, transformed along x; the border is applied while loading
//   FourierColumns       along y, times the kernel's spectrum, and back along y, without leaving the multiprocessor
//   FourierRowsInverse   back along x, and store what is valid of each tile
// Two real signals travel as one complex one, since the kernel is real: the upper and the lower half of the outputs of
// a one-channel picture, or two channels of a pixel. So no transform needs its halves untangled.
#pragma once

#include "gpu/kernels/convolve.h"
#include "gpu/kernels/fourier_butterflies.h"

namespace tessera {

// What the three passes share. A tile makes fourierSide - tapsWidth + 1 outputs of a row.
struct FourierGeometry {
    int tapsWidth = 1;
    int tapsHeight = 1;
    int firstX = 0; // source column and row that the first tap of output (0, 0) reads
    int firstY = 0;
    int half = 0;   // one channel: outputs y and y + half are one complex signal. Else the number of output rows
    int planes = 1; // complex signals of a pixel: 1, or 2 where there are four channels

    GPU_CODE int validX() const { return fourierSide - tapsWidth + 1; }
    GPU_CODE int validY() const { return fourierSide - tapsHeight + 1; }
    GPU_CODE int rows() const { return half + tapsHeight - 1; } // of a tile column's packed input
};

namespace fourier {

inline constexpr int exchangeStride = fourierRadix + 1; // rows and columns of the square then meet all banks
inline constexpr int warpsPerBlock = 4;
inline constexpr std::size_t rowSharedBytes = sizeof(Complex) * warpsPerBlock * fourierRadix * exchangeStride;

// Of the pass down the columns (fourier_columns.h).
inline constexpr int columnsPerBlock = 8;
inline constexpr int columnThreads = columnsPerBlock * fourierRadix;
// Rows of the square, padded by one group of columns so that reading across them meets all banks.
inline constexpr int columnStride = (fourierRadix + 1) * columnsPerBlock;
inline constexpr int columnExchange = fourierRadix * columnStride;
inline constexpr int columnElements = fourierSide * columnsPerBlock;
inline constexpr std::size_t spectrumSharedBytes = sizeof(Complex) * columnExchange;
inline constexpr std::size_t columnSharedBytes = sizeof(Complex) * (columnExchange + 2 * columnElements + fourierSide);

template <bool inverse, class Thread>
GPU_CODE inline void twiddle(const Thread &thread, Complex (&x)[fourierRadix], const ImageView<const Complex> &table,
                             int j) {
    GPU_UNROLL
    for (int k = 1; k < fourierRadix; ++k) {
        const Complex factor = thread.load(table, j, k);
        x[reversed(k)] = x[reversed(k)] * (inverse ? conjugate(factor) : factor);
    }
}

// The first half of a warp's transform of 1024 values: x[k] is element lane + 32 k.
template <bool inverse, class Thread>
GPU_CODE inline void rowsToExchange(const Thread &thread, Complex (&x)[fourierRadix],
                                    const ImageView<const Complex> &table, const SharedArray<Complex> &exchange) {
    transform<inverse>(x);
    twiddle<inverse>(thread, x, table, thread.lane);
    const int first = thread.warp * fourierRadix * exchangeStride + thread.lane;
    GPU_UNROLL
    for (int k = 0; k < fourierRadix; ++k)
        thread.store(exchange, first + k * exchangeStride, x[reversed(k)]);
}
// The second: element lane + 32 k is x[reversed(k)].
template <bool inverse, class Thread>
GPU_CODE inline void rowsFromExchange(const Thread &thread, Complex (&x)[fourierRadix],
                                      const SharedArray<Complex> &exchange) {
    const int first = (thread.warp * fourierRadix + thread.lane) * exchangeStride;
    GPU_UNROLL
    for (int k = 0; k < fourierRadix; ++k)
        x[k] = thread.load(exchange, first + k);
    transform<inverse>(x);
}

} // namespace fourier

// One warp a row of a tile. Block (x, y): rows 4x to 4x + 3 of the tile y % tiles of the plane y / tiles.
template <class SourcePixel> struct FourierRowsForward {
    static constexpr int maximumThreads = fourier::warpsPerBlock * warpSize_;
    static constexpr int minimumBlocks = SourcePixel::channels == 1 ? 4 : 3;

    BorderedView<SourcePixel> source;
    FourierGeometry geometry;
    int firstTile = 0;
    int tiles = 1;
    ImageView<Complex> work; // fourierSide columns; rows() rows for each tile of each plane
    ImageView<const Complex> twiddles;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        const Extent index = block.index();
        auto exchange = block.template shared<Complex>(int(fourier::rowSharedBytes / sizeof(Complex)));
        block.warpPhase([&](auto thread) {
            const int n = index.x * fourier::warpsPerBlock + thread.warp;
            if (thread.branch(n >= geometry.rows()))
                return;
            const int x = (firstTile + index.y % tiles) * geometry.validX() + geometry.firstX;
            Complex signal[fourierRadix];
            loadSignal(thread, x, geometry.firstY + n, index.y / tiles, signal);
            fourier::rowsToExchange<false>(thread, signal, twiddles, exchange);
        });
        block.each([&](auto thread) {
            const int n = index.x * fourier::warpsPerBlock + thread.warp;
            if (thread.branch(n >= geometry.rows()))
                return;
            Complex spectrum[fourierRadix];
            fourier::rowsFromExchange<false>(thread, spectrum, exchange);
            GPU_UNROLL
            for (int k = 0; k < fourierRadix; ++k)
                thread.store(work, thread.lane + k * fourierRadix, index.y * geometry.rows() + n,
                             spectrum[reversed(k)]);
        });
    }

private:
    template <class Thread>
    GPU_CODE void loadSignal(const Thread &thread, int x, int y, int plane, Complex (&signal)[fourierRadix]) const {
        const int last = SourcePixel::channels == 1 ? y + geometry.half : y;
        const ImageView<const SourcePixel> &inside = source.inside;
        const bool interior = x >= 0 && y >= 0 && x + fourierSide <= inside.width && last < inside.height;
        if (interior) {
            GPU_UNROLL
            for (int k = 0; k < fourierRadix; ++k)
                signal[k] = pack(thread, inside, x + thread.lane + k * fourierRadix, y, plane);
        } else {
            GPU_UNROLL
            for (int k = 0; k < fourierRadix; ++k)
                signal[k] = pack(thread, source, x + thread.lane + k * fourierRadix, y, plane);
        }
    }
    template <class Thread, class View>
    GPU_CODE Complex pack(const Thread &thread, const View &view, int x, int y, int plane) const {
        const SourcePixel pixel = thread.load(view, x, y);
        if constexpr (SourcePixel::channels == 1)
            return {float(pixel.channel[0]), float(thread.load(view, x, y + geometry.half).channel[0])};
        else
            return plane == 0 ? Complex{float(pixel.channel[0]), float(pixel.channel[1])}
                              : Complex{float(pixel.channel[2]), float(pixel.channel[3])};
    }
};

// Blocks as above.
template <class TargetPixel> struct FourierRowsInverse {
    static constexpr int maximumThreads = fourier::warpsPerBlock * warpSize_;
    static constexpr int minimumBlocks = 4;

    ImageView<const Complex> work; // fourierSide columns; `half` rows for each tile of each plane
    ImageView<const Complex> twiddles;
    FourierGeometry geometry;
    int firstTile = 0;
    int tiles = 1;
    Finish finish;
    float factor = 1.0f; // 1 / finish.divisor: a transform's rounding exceeds what a true division would save
    ImageView<TargetPixel> target;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        const Extent index = block.index();
        auto exchange = block.template shared<Complex>(int(fourier::rowSharedBytes / sizeof(Complex)));
        block.warpPhase([&](auto thread) {
            const int n = index.x * fourier::warpsPerBlock + thread.warp;
            if (thread.branch(n >= geometry.half))
                return;
            Complex spectrum[fourierRadix];
            GPU_UNROLL
            for (int k = 0; k < fourierRadix; ++k)
                spectrum[k] = thread.load(work, thread.lane + k * fourierRadix, index.y * geometry.half + n);
            fourier::rowsToExchange<true>(thread, spectrum, twiddles, exchange);
        });
        block.each([&](auto thread) {
            const int n = index.x * fourier::warpsPerBlock + thread.warp;
            if (thread.branch(n >= geometry.half))
                return;
            Complex signal[fourierRadix];
            fourier::rowsFromExchange<true>(thread, signal, exchange);
            const int x = (firstTile + index.y % tiles) * geometry.validX();
            const int left = target.width - x;
            const int valid = left < geometry.validX() ? left : geometry.validX();
            GPU_UNROLL
            for (int k = 0; k < fourierRadix; ++k)
                if (thread.lane + k * fourierRadix < valid)
                    unpack(thread, x + thread.lane + k * fourierRadix, n, index.y / tiles, signal[reversed(k)]);
        });
    }

private:
    template <class Thread> GPU_CODE void unpack(const Thread &thread, int x, int y, int plane, Complex value) const {
        using Value = typename TargetPixel::Scalar;
        // A divisor that the compiler knows to be 1: 64 divisions a thread would be there just for being possible.
        const Finish rest{1.0f, finish.offset, finish.response};
        value = {value.re * factor, value.im * factor};
        if constexpr (TargetPixel::channels == 1) {
            thread.store(target, x, y, TargetPixel{finishValue<Value>(rest, value.re)});
            if (y + geometry.half < target.height)
                thread.store(target, x, y + geometry.half, TargetPixel{finishValue<Value>(rest, value.im)});
        } else {
            using Pair = Pixel<Value, 2>;
            const ImageView<Pair> pairs{reinterpret_cast<Pair *>(target.data), target.width * 2, target.height,
                                        target.pitch};
            thread.store(pairs, 2 * x + plane, y,
                         Pair{finishValue<Value>(rest, value.re), finishValue<Value>(rest, value.im)});
        }
    }
};

} // namespace tessera
