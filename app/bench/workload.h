// What the contenders of one contest all do: one convolution of one picture. And the pictures themselves, in the form
// that every contender's result is brought to before it is checked.
#pragma once

#include "app/bench/contender.h"
#include "app/bench/pixel_kind.h"
#include "app/engines/engine.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera::bench {

// pixelKinds(), and rgb8, which only host engines and whole calls take.
const std::vector<PixelKind> &benchPixelKinds();
const PixelKind *findBenchPixelKind(std::string_view name);

// A picture in host memory, rows without gaps.
struct PixelBlock {
    PixelKind pixel = pixelKinds().front();
    int width = 0, height = 0;
    std::vector<std::byte> bytes;

    PixelBlock() = default;
    PixelBlock(const PixelKind &kind, int blockWidth, int blockHeight)
        : pixel(kind), width(blockWidth), height(blockHeight),
          bytes(std::size_t(blockWidth) * std::size_t(blockHeight) * std::size_t(kind.bytes())) {}

    std::size_t rowBytes() const { return std::size_t(width) * std::size_t(pixel.bytes()); }
    std::byte *row(int y) { return bytes.data() + rowBytes() * std::size_t(y); }
    const std::byte *row(int y) const { return bytes.data() + rowBytes() * std::size_t(y); }
    double value(int x, int y, int channel) const; // in the picture's units
};

// Uniform over 0..1 (float, half), 0..255 or 0..65535; the same for the same seed, whatever the number of threads.
PixelBlock randomPicture(const PixelKind &pixel, int width, int height, std::uint64_t seed);

// The picture as engines take it: halves become floats of the same values.
Image imageOf(const PixelBlock &block);
void copyRows(const ConstPixelView &from, PixelBlock &to); // of the same size and type; to half: rounded

// A picture of a file in these pixels: scaled between full ranges; a grey one gives the first channel, missing alpha is
// opaque.
PixelBlock blockOf(const ConstPixelView &picture, const PixelKind &pixel);

// Full rank, no symmetry, taps from -0.2 to 1 over their sum: results stay within the picture's range, and no mistake
// in the order or origin of the taps can hide.
ConvolutionKernel randomKernel(int width, int height, std::uint64_t seed);

struct Workload {
    int width = 0, height = 0;
    PixelKind pixel = pixelKinds().front();
    ConvolutionKernel kernel; // the divisor is 1: it is part of the taps
    std::string kernelName;   // "random", "gaussian:sigma=2"
    bool separable = false;   // the kernel is the product of a column and a row
    Border border{BorderMode::Zero, 0};
    std::uint64_t seed = 0;                    // of the picture that results are checked on
    std::shared_ptr<const PixelBlock> picture; // what is timed; empty: the same random one

    double values() const { return double(width) * height * pixel.channels; }
    double bytes() const { return 2 * values() * scalarBytes(pixel.type); }
    double denseOperations() const { return 2 * values() * kernel.width * kernel.height; }
    double separableOperations() const { return 2 * values() * (kernel.width + kernel.height); }
};

// What an engine's host pictures hold such pixels as; halves travel as floats.
Depth depthOf(ScalarType type);

// For questions about the workload: sizes and formats, without pictures.
ConvolutionJob emptyJobOf(const Workload &workload, std::string_view variant);

ConvolutionJob jobOf(const Workload &workload, const ConstPixelView &source, const PixelView &target);

} // namespace tessera::bench
