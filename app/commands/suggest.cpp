#include "app/commands/suggest.h"

#include "app/filters/nearest_name.h"

namespace tessera {

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
    const std::string nearest = nearestName(word, candidates);
    return nearest.empty() ? "one of " + joinNames(candidates) : "did you mean '" + nearest + "'?";
}

} // namespace tessera
