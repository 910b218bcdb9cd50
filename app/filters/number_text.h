// Numbers in text, the same in every locale: a decimal point, never a comma.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tessera {

// The whole text must be one number: digits, point, exponent, sign. Also "nan" and "inf", which callers refuse with
// words of their own. Empty where it is anything else. Beyond double's range: infinity, or zero.
std::optional<double> parseNumber(std::string_view text);

// The shortest text that reads back to the same double; integers without exponent up to 1e15; no "-0".
std::string formatNumber(double value);

} // namespace tessera
