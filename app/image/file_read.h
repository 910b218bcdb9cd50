#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace tessera {

// A whole file, or what a pipe delivers. Throws Error{Input} where it cannot be read, Error{Limit} where it is longer
// than `maximumBytes`.
std::vector<std::byte> readWholeFile(const std::filesystem::path &path, std::uint64_t maximumBytes);

} // namespace tessera
