// File names as text. A name is any bytes: it may be no UTF-8 at all, or hold line breaks, terminal codes and what
// makes text run from right to left.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

// Length of the well-formed UTF-8 sequence at the start of `bytes` (Unicode 15, table 3-7), 0 where there is none.
std::size_t utf8Length(std::string_view bytes);
bool isUtf8(std::string_view bytes);

// Valid UTF-8 on one line, without control characters and what turns the direction of text; all that becomes \xNN.
std::string displayText(std::string_view bytes);
inline std::string displayName(const std::filesystem::path &path) { return displayText(path.native()); }

// Valid UTF-8 for a JSON string: only invalid bytes are replaced (by \xff), as JSON has escapes
// of its own for control characters.
std::string jsonText(std::string_view bytes);

std::string hexadecimal(std::string_view bytes);
std::string bytesFromHexadecimal(std::string_view hex); // empty where it is malformed

} // namespace tessera
