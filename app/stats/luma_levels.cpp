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

// A whole vector of pixels: channel c's bytes to planes + c * stride, and luminance, where there are colours, to
// `luma`. Bytes are widened on their way back from the first-level cache: to take apart a quarter of a vector at a time
// takes as many steps as for all of it.
HWY_INLINE void separateBlock(const std::uint8_t *pixel, int channels, std::uint8_t *planes, std::ptrdiff_t stride,
                              std::uint8_t *luma) {
    const hn::ScalableTag<std::uint8_t> all;
    const Bytes bytes;
    const int lanes = int(hn::Lanes(bytes)), block = int(hn::Lanes(all));
    hn::Vec<decltype(all)> a, b, c, d;
    if (channels == 2)
        hn::LoadInterleaved2(all, pixel, a, b);
    else if (channels == 3)
        hn::LoadInterleaved3(all, pixel, a, b, c);
    else
        hn::LoadInterleaved4(all, pixel, a, b, c, d);
    hn::StoreU(a, all, planes);
    hn::StoreU(b, all, planes + stride);
    if (channels == 2)
        return;
    hn::StoreU(c, all, planes + 2 * stride);
    if (channels == 4)
        hn::StoreU(d, all, planes + 3 * stride);
    for (int i = 0; i < block; i += lanes)
        hn::StoreU(levelsOf(hn::LoadU(bytes, planes + i), hn::LoadU(bytes, planes + stride + i),
                            hn::LoadU(bytes, planes + 2 * stride + i)),
                   bytes, luma + i);
}

// Calls block(x) for whole vectors of a row's pixels, and one(x) for each where there are fewer: the last vector
// overlaps the one before, as one by one they take longer.
template <class Block, class One> HWY_INLINE void forBlocks(int pixels, const Block &block, const One &one) {
    const int lanes = int(hn::Lanes(hn::ScalableTag<std::uint8_t>()));
    int x = 0;
    for (; x + lanes <= pixels; x += lanes)
        block(x);
    if (x < pixels && pixels >= lanes)
        return block(pixels - lanes);
    for (; x < pixels; ++x)
        one(x);
}

HWY_INLINE std::uint8_t lumaOf(const std::uint8_t *pixel) {
    return std::uint8_t(lumaLevel(pixel[0], pixel[1], pixel[2]));
}

void levels(const std::uint8_t *row, int channels, int pixels, std::uint8_t *target) {
    constexpr std::size_t most = hn::MaxLanes(hn::ScalableTag<std::uint8_t>());
    HWY_ALIGN std::uint8_t planes[4 * most];
    forBlocks(
        pixels,
        [&](int x) {
            separateBlock(row + std::ptrdiff_t(x) * channels, channels, planes, std::ptrdiff_t(most), target + x);
        },
        [&](int x) { target[x] = lumaOf(row + x * channels); });
}

void separate(const std::uint8_t *row, int channels, int pixels, std::uint8_t *planes, int stride) {
    std::uint8_t *const luma = planes + channels * stride;
    forBlocks(
        pixels,
        [&](int x) { separateBlock(row + std::ptrdiff_t(x) * channels, channels, planes + x, stride, luma + x); },
        [&](int x) {
            for (int c = 0; c < channels; ++c)
                planes[c * stride + x] = row[x * channels + c];
            if (channels > 2)
                luma[x] = lumaOf(row + x * channels);
        });
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
