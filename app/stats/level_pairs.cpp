// Compiled once for every instruction set; Highway, because one source then serves all of them at run time.
#include "app/stats/level_pairs.h"

#include <array>
#include <bit>
#include <cstring>

// clang-format off: Highway's headers come in this order
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "app/stats/level_pairs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace tessera::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

int find(const std::uint8_t *above, const std::uint8_t *below, int count, std::uint16_t *places, std::uint16_t *apart) {
    const hn::ScalableTag<std::uint16_t> words;
    const hn::Rebind<std::uint8_t, decltype(words)> bytes;
    const int lanes = int(hn::Lanes(words));
    const auto middle = hn::Set(words, pairSteps / 2), last = hn::Set(words, pairSteps - 1);
    const auto none = hn::Set(words, std::uint16_t(noPair));
    static_assert(pairStride == (1 << 8) + (1 << 4));
    int found = 0, i = 0;
    std::array<std::uint8_t, 8 + hn::MaxLanes(words) / 8> bits{};
    const auto note = [&](int first) { // the lanes whose bit is set
        std::uint64_t rest = 0;
        std::memcpy(&rest, bits.data(), sizeof(rest));
        for (; rest != 0; rest &= rest - 1)
            apart[found++] = std::uint16_t(first + std::countr_zero(rest));
    };
    for (; i + lanes <= count; i += lanes) {
        const auto a = hn::PromoteTo(words, hn::LoadU(bytes, above + i));
        const auto b = hn::PromoteTo(words, hn::LoadU(bytes, below + i));
        const auto step = hn::Sub(hn::Add(b, middle), a); // where it is negative, larger than any
        const auto place = hn::Add(hn::Add(hn::ShiftLeft<8>(step), hn::ShiftLeft<4>(step)), a);
        const auto far = hn::Gt(step, last);
        hn::StoreU(hn::IfThenElse(far, none, place), words, places + i);
        if (HWY_UNLIKELY(!hn::AllFalse(words, far))) {
            hn::StoreMaskBits(words, far, bits.data());
            note(i);
        }
    }
    for (; i < count; ++i) {
        const int step = below[i] - above[i] + pairSteps / 2;
        const bool near = step >= 0 && step < pairSteps;
        places[i] = std::uint16_t(near ? pairPlace(above[i], below[i]) : noPair);
        if (!near)
            apart[found++] = std::uint16_t(i);
    }
    return found;
}

} // namespace tessera::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera {

HWY_EXPORT(find);

int findPairs(const std::uint8_t *above, const std::uint8_t *below, int count, std::uint16_t *places,
              std::uint16_t *apart) {
    return HWY_DYNAMIC_DISPATCH(find)(above, below, count, places, apart);
}

} // namespace tessera
#endif
