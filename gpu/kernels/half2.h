// What the half2 kernels share: pixels as packed halves, and sums of them.
//
// Two neighbouring outputs of a one-channel picture, or two channels of an RGBA pixel, make one 32-bit word: half the
// bytes of float, and one instruction for two multiply-adds. The price is precision: a half has 11 significant bits.
// With S = sum of |tap| / |divisor| and M the largest |pixel|, an output's error is at most about
// 2^-11 * S * M * (n + 2), n being the terms added up in half: the kernel's width where rows are summed in float, its
// whole area where not. 8-bit pixels are exact in half; 16-bit and float ones are rounded to 11 bits first.
#pragma once

#include "gpu/kernels/convolve.h"

#include <cstdint>

namespace tessera {

template <class P> struct alignas(2 * sizeof(P)) PixelPair { P pixel[2]; };

template <class T> GPU_CODE inline Half halfOf(T value, float scale) { return Half(static_cast<float>(value) * scale); }

// A one-channel pair: low is the left pixel.
template <class P> GPU_CODE inline Half2 halvesOf(const P &left, const P &right, float scale) {
    return {halfOf(left.channel[0], scale), halfOf(right.channel[0], scale)};
}

// Two pixels, the first in an even column. `aligned`: rows start on multiples of a pair.
template <class Thread, class P>
GPU_CODE inline Half2 loadPair(const Thread &thread, const BorderedView<P> &view, bool aligned, float scale, int x,
                               int y) {
    thread.step();
    if (aligned && x >= 0 && x + 2 <= view.inside.width &&
        static_cast<unsigned>(y) < static_cast<unsigned>(view.inside.height)) {
        const auto pair = thread.template loadVector<PixelPair<P>>(view.inside, x, y);
        return halvesOf(pair.pixel[0], pair.pixel[1], scale);
    }
    const P left = thread.load(view, x, y);
    const P right = thread.load(view, x + 1, y);
    return halvesOf(left, right, scale);
}

template <class P> GPU_CODE inline bool pairsAligned(const ImageView<P> &view) {
    constexpr std::uintptr_t alignment = alignof(PixelPair<std::remove_const_t<P>>);
    return (reinterpret_cast<std::uintptr_t>(view.data) | static_cast<std::uintptr_t>(view.pitch)) % alignment == 0;
}

// An RGBA pixel as two words.
struct alignas(8) HalfPixel {
    Half2 first, second; // red and green, blue and alpha
};

template <class P> GPU_CODE inline HalfPixel halfPixelOf(const P &pixel, float scale) {
    return {{halfOf(pixel.channel[0], scale), halfOf(pixel.channel[1], scale)},
            {halfOf(pixel.channel[2], scale), halfOf(pixel.channel[3], scale)}};
}

// The sum of one word's two outputs. A row's products are added up in half, in one instruction each; rows are added up
// in float, or in half as well, as HalfTaps::sumInFloat says.
struct HalfSum {
    Half2 row{};
    float total[2] = {0.0f, 0.0f};

    GPU_CODE void addProduct(Half2 tap, Half2 value) { row = multiplyAdd(tap, value, row); }
    GPU_CODE void endRow(bool sumInFloat) {
        if (sumInFloat)
            flush();
    }
    GPU_CODE void flush() {
        total[0] += float(row.low);
        total[1] += float(row.high);
        row = Half2(0.0f);
    }
};

} // namespace tessera
