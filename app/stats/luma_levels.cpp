// Compiled once for every instruction set; Highway, because one source then serves all of them at run time.
#include "app/stats/luma_levels.h"

#include "app/stats/channel_rows.h"

// clang-format off: Highway's headers come in this order
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "app/stats/luma_levels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace tessera::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;
using Bytes = hn::Rebind<std::uint8_t, Floats>;

HWY_INLINE FloatVector widened(hn::Vec<Bytes> bytes) {
    return hn::ConvertTo(Floats(), hn::PromoteTo(hn::RebindToSigned<Floats>(), bytes));
}

// The weights are even, and so are all sums: halves of them are whole numbers that floats hold exactly. What is nearest
// to their quotient is nearest to the product with the reciprocal as well, ties included, for every sum there can be: a
// test goes through them all.
HWY_INLINE hn::Vec<Bytes> levelsOf(hn::Vec<Bytes> red, hn::Vec<Bytes> green, hn::Vec<Bytes> blue) {
    const Floats floats;
    FloatVector sum = hn::Mul(widened(red), hn::Set(floats, float(lumaRed / 2)));
    sum = hn::MulAdd(widened(green), hn::Set(floats, float(lumaGreen / 2)), sum);
    sum = hn::MulAdd(widened(blue), hn::Set(floats, float(lumaBlue / 2)), sum);
    const FloatVector quotient = hn::Mul(sum, hn::Set(floats, 1.0f / float(lumaWhole / 2)));
    // From 2^23 on floats are whole: what is added to it is rounded, ties to even, and lies in the lowest bits.
    const hn::RebindToUnsigned<Floats> integers;
    const auto rounded = hn::BitCast(integers, hn::Add(quotient, hn::Set(floats, 0x1p23f)));
    return hn::U8FromU32(hn::And(rounded, hn::Set(integers, 0xffu)));
}

// Channels are taken apart in whole vectors of bytes, and widened on their way back from the first-level cache: to do
// the first for a quarter of a vector at a time takes as many steps as for all of it.
void levels(const std::uint8_t *row, int channels, int pixels, std::uint8_t *target) {
    const hn::ScalableTag<std::uint8_t> all;
    const Bytes bytes;
    const int lanes = int(hn::Lanes(bytes)), block = int(hn::Lanes(all));
    HWY_ALIGN std::uint8_t planes[3][hn::MaxLanes(all)];
    const auto wholeBlock = [&](int x) {
        const std::uint8_t *pixel = row + std::ptrdiff_t(x) * channels;
        hn::Vec<decltype(all)> red, green, blue, alpha;
        if (channels == 3)
            hn::LoadInterleaved3(all, pixel, red, green, blue);
        else
            hn::LoadInterleaved4(all, pixel, red, green, blue, alpha);
        hn::Store(red, all, planes[0]);
        hn::Store(green, all, planes[1]);
        hn::Store(blue, all, planes[2]);
        for (int i = 0; i < block; i += lanes)
            hn::StoreU(levelsOf(hn::Load(bytes, planes[0] + i), hn::Load(bytes, planes[1] + i),
                                hn::Load(bytes, planes[2] + i)),
                       bytes, target + x + i);
    };
    int x = 0;
    for (; x + block <= pixels; x += block)
        wholeBlock(x);
    if (x < pixels && pixels >= block) { // the last vector overlaps the one before: levels one by one take longer
        wholeBlock(pixels - block);
        return;
    }
    for (; x < pixels; ++x)
        target[x] = std::uint8_t(lumaLevel(row[x * channels], row[x * channels + 1], row[x * channels + 2]));
}

void separate(const std::uint8_t *row, int channels, int pixels, std::uint8_t *planes, int stride) {
    const hn::ScalableTag<std::uint8_t> all;
    const Bytes bytes;
    const int lanes = int(hn::Lanes(bytes)), block = int(hn::Lanes(all));
    const auto wholeBlock = [&](int x) {
        const std::uint8_t *pixel = row + std::ptrdiff_t(x) * channels;
        std::uint8_t *const plane = planes + x;
        hn::Vec<decltype(all)> a, b, c, d;
        if (channels == 2)
            hn::LoadInterleaved2(all, pixel, a, b);
        else if (channels == 3)
            hn::LoadInterleaved3(all, pixel, a, b, c);
        else
            hn::LoadInterleaved4(all, pixel, a, b, c, d);
        hn::StoreU(a, all, plane);
        hn::StoreU(b, all, plane + stride);
        if (channels == 2)
            return;
        hn::StoreU(c, all, plane + 2 * stride);
        if (channels == 4)
            hn::StoreU(d, all, plane + 3 * stride);
        for (int i = 0; i < block; i += lanes)
            hn::StoreU(levelsOf(hn::LoadU(bytes, plane + i), hn::LoadU(bytes, plane + stride + i),
                                hn::LoadU(bytes, plane + 2 * stride + i)),
                       bytes, plane + channels * stride + i);
    };
    int x = 0;
    for (; x + block <= pixels; x += block)
        wholeBlock(x);
    if (x < pixels && pixels >= block) // the last vector overlaps the one before
        return wholeBlock(pixels - block);
    for (; x < pixels; ++x) {
        for (int c = 0; c < channels; ++c)
            planes[c * stride + x] = row[x * channels + c];
        if (channels > 2)
            planes[channels * stride + x] =
                std::uint8_t(lumaLevel(row[x * channels], row[x * channels + 1], row[x * channels + 2]));
    }
}

} // namespace tessera::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(levels);

void lumaLevels(const std::uint8_t *row, int channels, int pixels, std::uint8_t *target) {
    HWY_DYNAMIC_DISPATCH(levels)(row, channels, pixels, target);
}

HWY_EXPORT(separate);

void separateLevels(const std::uint8_t *row, int channels, int pixels, std::uint8_t *planes, int stride) {
    HWY_DYNAMIC_DISPATCH(separate)(row, channels, pixels, planes, stride);
}

} // namespace tessera
#endif
