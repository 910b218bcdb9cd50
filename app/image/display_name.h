// File names as text. A name is any bytes: it may be no UTF-8 at all, or hold line breaks and terminal codes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

// Valid UTF-8 without control characters; what is not becomes \xNN.
std::string displayText(std::string_view bytes);
inline std::string displayName(const std::filesystem::path &path) { return displayText(path.native()); }

} // namespace tessera
