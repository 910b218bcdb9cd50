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
    return hn::DemoteTo(Bytes(), hn::NearestInt(quotient));
}

void levels(const std::uint8_t *row, int channels, int pixels, std::uint8_t *target) {
    const Bytes bytes;
    const int lanes = int(hn::Lanes(bytes));
    int x = 0;
    for (; x + lanes <= pixels; x += lanes, row += lanes * channels) {
        hn::Vec<Bytes> red, green, blue, alpha;
        if (channels == 3)
            hn::LoadInterleaved3(bytes, row, red, green, blue);
        else
            hn::LoadInterleaved4(bytes, row, red, green, blue, alpha);
        hn::StoreU(levelsOf(red, green, blue), bytes, target + x);
    }
    for (; x < pixels; ++x, row += channels)
        target[x] = std::uint8_t(lumaLevel(row[0], row[1], row[2]));
}

} // namespace tessera::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(levels);

void lumaLevels(const std::uint8_t *row, int channels, int pixels, std::uint8_t *target) {
    HWY_DYNAMIC_DISPATCH(levels)(row, channels, pixels, target);
}

} // namespace tessera
#endif
