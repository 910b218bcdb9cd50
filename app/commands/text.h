// Text for people and for JSON, made from bytes that may be neither: file names hold any byte but '/' and NUL.
#pragma once

#include "app/image/display_name.h" // displayText: one line, safe on a terminal

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// displayText in single quotes.
std::string inQuotes(std::string_view bytes);

// The number of terminal cells, taken as one a code point: enough for what the tables hold.
std::size_t displayWidth(std::string_view utf8);

// "1 file", "3 files".
std::string counted(std::uint64_t count, std::string_view noun);

// "1.4 GiB", "12 KiB".
std::string binarySize(std::uint64_t bytes);

// A number with `digits` significant digits and no trailing zeros.
std::string shortNumber(double value, int digits = 6);

// Breaks text at spaces into lines of at most `width` cells; a line break in the text stays one.
std::vector<std::string> wrapText(std::string_view text, std::size_t width);

} // namespace tessera
