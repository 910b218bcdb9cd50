// The remedy for a word that is not one of those allowed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tessera {

// "did you mean 'x'?" where a candidate is near, else "one of a, b and c".
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

} // namespace tessera
