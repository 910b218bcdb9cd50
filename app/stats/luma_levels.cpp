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

// Everything is a whole number below 2^24 and thus exact, but for the quotient. That is off by less than 3e-5, and the
// half that is added keeps it 5e-5 away from the next whole number: what is cut off is right.
HWY_INLINE hn::Vec<Bytes> levelsOf(FloatVector red, FloatVector green, FloatVector blue) {
    const Floats floats;
    const hn::RebindToSigned<Floats> integers;
    const FloatVector whole = hn::Set(floats, float(lumaWhole));
    FloatVector sum = hn::MulAdd(red, hn::Set(floats, float(lumaRed)), hn::Set(floats, float(lumaWhole / 2)));
    sum = hn::MulAdd(green, hn::Set(floats, float(lumaGreen)), sum);
    sum = hn::MulAdd(blue, hn::Set(floats, float(lumaBlue)), sum);
    const FloatVector quotient = hn::Mul(hn::Add(sum, hn::Set(floats, 0.5f)), hn::Set(floats, 1.0f / float(lumaWhole)));
    const auto level = hn::ConvertTo(integers, quotient);
    // Where nothing is left, the sum was a tie: odd levels step down to the even one.
    const FloatVector rest = hn::NegMulAdd(hn::ConvertTo(floats, level), whole, sum);
    const auto tie = hn::VecFromMask(integers, hn::RebindMask(integers, hn::Eq(rest, hn::Zero(floats))));
    const auto down = hn::And(hn::And(level, hn::Set(integers, 1)), tie);
    return hn::DemoteTo(Bytes(), hn::Sub(level, down));
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
        hn::StoreU(levelsOf(widened(red), widened(green), widened(blue)), bytes, target + x);
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
