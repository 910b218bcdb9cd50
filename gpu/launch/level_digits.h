// Taps for gpu/kernels/level_tile.h: as digits, with what then becomes of their sums. Host code.
#pragma once

#include "gpu/image/finish.h"
#include "gpu/kernels/level_tile.h"

#include <optional>
#include <span>

namespace tessera {

struct LevelDigits {
    LevelFinish finish;
    std::uint32_t taps[levelDigits * largestLevelSide * levelTapWords] = {}; // of `side` rows a digit
};

// Of side x side taps. Whole taps, and whatever else is a multiple of a power of two with 23 bits at most, are exact,
// and their sums are finished as finishValue() does: even ties come out right. All others are rounded to multiples of a
// step after division. Nothing where that, or the taps' size, would leave less precision than sums of products in float
// have: (taps that are not 0 + 3) * 2^-24 of the sum of their magnitudes and the largest level.
std::optional<LevelDigits> levelDigitsOf(std::span<const float> taps, int side, const Finish &finish);

} // namespace tessera
