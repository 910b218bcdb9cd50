#include "app/session/picture_stack.h"

#include "app/engines/engine_support.h"
#include "app/session/pixel_rows.h"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

template <class T> struct Accumulator { using Type = std::uint32_t; };
template <> struct Accumulator<float> { using Type = float; };

template <class T, class Sum> T quarter(Sum sum) {
    if constexpr (std::is_integral_v<T>)
        return T((sum + 2) >> 2);
    else
        return sum * 0.25f;
}

// Rows of `above` and `below` have `channels * width` samples, `target` half as many pixels, rounded up.
template <class T, int channels> void halveRow(const T *above, const T *below, int width, T *target) {
    using Sum = typename Accumulator<T>::Type;
    const int pairs = width / 2;
    for (int x = 0; x < pairs; ++x)
        for (int c = 0; c < channels; ++c) {
            const int left = 2 * x * channels + c;
            const Sum sum =
                Sum(above[left]) + Sum(above[left + channels]) + Sum(below[left]) + Sum(below[left + channels]);
            target[x * channels + c] = quarter<T>(sum);
        }
    if (width % 2)
        for (int c = 0; c < channels; ++c) {
            const int left = (width - 1) * channels + c;
            target[pairs * channels + c] = quarter<T>(Sum(2) * (Sum(above[left]) + Sum(below[left])));
        }
}

// Exact as the quotients are: of bytes 2^-24 is far less than what any two of them lie apart.
template <class T> struct Quotient { using Type = double; };
template <> struct Quotient<std::uint8_t> { using Type = float; };

template <class T, int channels> void halveRowWithAlpha(const T *above, const T *below, int width, T *target) {
    using Sum = typename Quotient<T>::Type;
    constexpr int alpha = channels - 1;
    constexpr Sum rounding = std::is_integral_v<T> ? Sum(0.5) : Sum(0), quarter = Sum(0.25);
    for (int x = 0; x < (width + 1) / 2; ++x) {
        const int left = 2 * x, right = std::min(2 * x + 1, width - 1);
        const T *const four[4] = {above + left * channels, above + right * channels, below + left * channels,
                                  below + right * channels};
        T *const to = target + x * channels;
        to[alpha] = four[0][alpha];
        // Mostly all are opaque or transparent.
        const bool alike = four[1][alpha] == to[alpha] && four[2][alpha] == to[alpha] && four[3][alpha] == to[alpha];
        Sum weights = 0, sums[channels] = {};
        for (const T *pixel : four)
            weights += Sum(pixel[alpha]);
        const bool even = alike || !(weights > 0); // of floats there may be negative ones and NaN
        for (const T *pixel : four) {
            const Sum weight = even ? Sum(1) : Sum(pixel[alpha]);
            for (int c = 0; c < alpha; ++c)
                sums[c] += Sum(pixel[c]) * weight;
        }
        for (int c = 0; c < alpha; ++c)
            to[c] = T((even ? sums[c] * quarter : sums[c] / weights) + rounding);
        if (!alike)
            to[alpha] = T(weights * quarter + rounding);
    }
}

// Row y of the half.
template <class T> void halveRow(const ConstPixelView &picture, const PixelView &half, int y) {
    const T *above = picture.row<T>(2 * y);
    const T *below = picture.row<T>(std::min(2 * y + 1, picture.height - 1));
    T *target = half.row<T>(y);
    switch (picture.format.channels) {
    case 1:
        halveRow<T, 1>(above, below, picture.width, target);
        break;
    case 2:
        halveRowWithAlpha<T, 2>(above, below, picture.width, target);
        break;
    case 3:
        halveRow<T, 3>(above, below, picture.width, target);
        break;
    default:
        halveRowWithAlpha<T, 4>(above, below, picture.width, target);
    }
}

} // namespace

Image halvePicture(const ConstPixelView &picture, const RunControl &control) {
    Image half((picture.width + 1) / 2, (picture.height + 1) / 2, picture.format);
    const PixelView target = half.view();
    withSampleType(picture.format.depth, [&]<class T>(std::type_identity<T>) {
        forEachRow(target.height, control, [&](int y) { halveRow<T>(picture, target, y); });
    });
    return half;
}

PictureStack PictureStack::build(SharedImage picture, const RunControl &control, int smallestSide) {
    PictureStack stack;
    stack.levels_.push_back(std::move(picture));
    for (;;) {
        const Image &last = *stack.levels_.back();
        if (std::max(last.width(), last.height()) <= smallestSide)
            return stack;
        Image half = halvePicture(last.view(), control);
        half.metadata.sourceFormat = last.metadata.sourceFormat; // decides how float is shown
        stack.levels_.push_back(std::make_shared<const Image>(std::move(half)));
    }
}

int PictureStack::levelForZoom(double zoom) const {
    const int wanted = zoom >= 1 ? 0 : int(std::floor(-std::log2(zoom) + 1e-9));
    return std::clamp(wanted, 0, std::max(0, levels() - 1));
}

} // namespace tessera
