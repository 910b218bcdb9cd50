// Values of options, from text. Every function throws Error{Usage} that names the option, what was given and what is
// allowed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

std::int64_t parseInteger(std::string_view option, const std::string &text, std::int64_t minimum, std::int64_t maximum);

// Finite; with a point as the decimal separator, whatever the locale.
double parseReal(std::string_view option, const std::string &text);

// A real number that the kernels' 32-bit floats can hold: of at most 3.4e38.
double parseFloat32(std::string_view option, const std::string &text);

// Bytes: 4096, 512M, 1.5G, 1GiB (powers of 1024) or 1GB (powers of 1000). At least 1.
std::uint64_t parseByteSize(std::string_view option, const std::string &text);

// A count, also as 100M or 4G (powers of 1000). At least 1.
std::uint64_t parseCount(std::string_view option, const std::string &text);

// The position of `text` in `choices`.
std::size_t parseChoice(std::string_view option, const std::string &text, const std::vector<std::string> &choices);

// Two integers of at least 1, "WxH".
std::pair<int, int> parseExtent(std::string_view option, const std::string &text);

// Two integers "X,Y".
std::pair<int, int> parsePoint(std::string_view option, const std::string &text);

} // namespace tessera
