// "Did you mean": the name closest to what was typed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

// Insertions, deletions, substitutions and swaps of neighbours between two names (Damerau-Levenshtein, each part of
// the text edited once).
std::size_t editDistance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, or one that begins with it; empty where nothing is near enough to be meant.
std::string nearestName(std::string_view name, std::span<const std::string> candidates);

// "a, b and c", or with another last word.
std::string joinNames(std::span<const std::string> names, std::string_view lastWord = "and");

} // namespace tessera
