#include "gpu/jit/source_text.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace tessera::jit {

std::string literalOf(float value) {
    if (!std::isfinite(value))
        return "__builtin_bit_cast(float, " + std::to_string(std::bit_cast<std::uint32_t>(value)) + "u)";
    char digits[32]; // to_chars() knows no locale, printf() does
    const auto end = std::to_chars(digits, digits + sizeof digits, std::fabs(value), std::chars_format::hex).ptr;
    return std::string(std::signbit(value) ? "-0x" : "0x") + std::string(digits, end) + "f";
}

std::string constantArray(std::string_view name, std::span<const float> values) {
    std::string text = "constexpr float " + std::string(name) + "[" + std::to_string(values.size()) + "] = {";
    for (std::size_t i = 0; i < values.size(); ++i)
        text += (i == 0 ? "" : i % 8 == 0 ? ",\n    " : ", ") + literalOf(values[i]);
    return text + "};\n";
}

} // namespace tessera::jit
