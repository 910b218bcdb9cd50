// Numbers as source text, bit for bit.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera::jit {

// A constant expression of exactly this value: hexadecimal digits where it is a number, its bits where it is none.
std::string literalOf(float value);

// "constexpr float NAME[N] = {...};\n". Read with indices that are constants once loops are unrolled, its elements
// become operands of the instructions. At least one value.
std::string constantArray(std::string_view name, std::span<const float> values);

} // namespace tessera::jit
