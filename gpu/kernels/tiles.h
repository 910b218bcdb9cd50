// Pictures cut into planes of floats and put together again: what stands before and after a transform, or before a
// library that knows planes of one channel only. One thread a value; all of them are bound by memory.
//
// A plane is one channel of one tile. Planes lie below each other in one tall view: tile by tile, channel by channel.
#pragma once

#include "gpu/kernels/convolve.h"

namespace tessera {

// `columns` x `rows` tiles; each yields stepX x stepY outputs (fewer at the right and lower rim) from a plane of
// width x height values.
struct TileGrid {
    int width = 1;
    int height = 1;
    int stepX = 1;
    int stepY = 1;
    int columns = 1;
    int rows = 1;

    GPU_CODE constexpr int count() const { return columns * rows; }
    GPU_CODE constexpr std::int64_t planeValues() const { return std::int64_t(width) * height; }
    friend constexpr bool operator==(const TileGrid &, const TileGrid &) = default;
};

// A copy that holds what lies outside: target(x, y) = source(x + left, y + top), by way of the border.
template <class P> struct CopyBordered {
    BorderedView<P> source;
    ImageView<P> target;
    int left = 0;
    int top = 0;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int x = block.index().x * block.size().x + thread.x;
            const int y = block.index().y * block.size().y + thread.y;
            if (thread.branch(target.contains(x, y)))
                thread.store(target, x, y, thread.load(source, x + left, y + top));
        });
    }
};

// plane(x, y) of each tile = source(x + left, y + top) at the tile's place, for the first usedWidth x usedHeight values
// of a plane; the rest is 0. Tiles overlap by what usedWidth exceeds stepX.
template <class SourcePixel> struct ScatterTiles {
    BorderedView<SourcePixel> source;
    ImageView<float> planes;
    TileGrid tiles;
    int left = 0;
    int top = 0;
    int usedWidth = 1;
    int usedHeight = 1;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int x = block.index().x * block.size().x + thread.x;
            const int y = block.index().y * block.size().y + thread.y;
            if (thread.branch(x >= tiles.width || y >= tiles.height * tiles.count()))
                return;
            const int tile = tiles.count() == 1 ? 0 : y / tiles.height; // the division only where it is needed
            const int row = y - tile * tiles.height;
            Accumulator<SourcePixel> value{};
            if (thread.branch(x < usedWidth && row < usedHeight)) {
                const int column = tile % tiles.columns;
                value = widen(thread.load(source, column * tiles.stepX + x + left,
                                          tile / tiles.columns * tiles.stepY + row + top));
            }
            constexpr int channels = SourcePixel::channels;
            for (int c = 0; c < channels; ++c)
                thread.store(planes, x, (tile * channels + c) * tiles.height + row, value.channel[c]);
        });
    }
};

// spectra(i) *= kernel(i), complex, the same kernel for each of the view's rows. Pairs of complex numbers, so that an
// access has 16 bytes. One thread a pair of the kernel: it is read once for all planes.
struct MultiplySpectra {
    using Pair = Pixel<float, 4>; // real, imaginary, real, imaginary
    ImageView<Pair> spectra;
    ImageView<const Pair> kernel; // one row

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int i = block.index().x * block.threads() + thread.index;
            if (thread.branch(i >= kernel.width))
                return;
            const Pair factor = thread.load(kernel, i, 0);
            for (int plane = 0; plane < spectra.height; ++plane) {
                const Pair value = thread.load(spectra, i, plane);
                Pair product;
                for (int k = 0; k < 4; k += 2) {
                    product.channel[k] =
                        value.channel[k] * factor.channel[k] - value.channel[k + 1] * factor.channel[k + 1];
                    product.channel[k + 1] =
                        value.channel[k] * factor.channel[k + 1] + value.channel[k + 1] * factor.channel[k];
                }
                thread.store(spectra, i, plane, product);
            }
        });
    }
};

struct NoTaps {};

// Outputs from the planes' sums, finished as every convolution's are: sum (x, y) of a tile is its output (x, y).
template <class SourcePixel, class TargetPixel> struct GatherTiles {
    ConvolveOperands<SourcePixel, TargetPixel, NoTaps> operands; // the source gives the channels that are not filtered
    ImageView<const float> planes;
    TileGrid tiles;

    template <class Block> GPU_CODE void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int x = block.index().x * block.size().x + thread.x;
            const int y = block.index().y * block.size().y + thread.y;
            if (thread.branch(!operands.target.contains(x, y)))
                return;
            const bool single = tiles.count() == 1;
            const int column = single ? 0 : x / tiles.stepX;
            const int row = single ? 0 : y / tiles.stepY;
            const int tile = row * tiles.columns + column;
            constexpr int channels = SourcePixel::channels;
            Accumulator<SourcePixel> sum;
            for (int c = 0; c < channels; ++c)
                sum.channel[c] = thread.load(planes, x - column * tiles.stepX,
                                             (tile * channels + c) * tiles.height + y - row * tiles.stepY);
            storeOutput(thread, operands, x, y, sum);
        });
    }
};

} // namespace tessera
