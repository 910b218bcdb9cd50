#include "app/filters/nearest_name.h"

#include <algorithm>
#include <vector>

namespace tessera {

std::size_t editDistance(std::string_view a, std::string_view b) {
    const std::size_t columns = b.size() + 1;
    std::vector<std::size_t> distances((a.size() + 1) * columns);
    const auto at = [&](std::size_t i, std::size_t j) -> std::size_t & { return distances[i * columns + j]; };
    for (std::size_t i = 0; i <= a.size(); ++i)
        at(i, 0) = i;
    for (std::size_t j = 0; j <= b.size(); ++j)
        at(0, j) = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
            at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, substitution});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
        }
    }
    return distances.back();
}

std::string nearestName(std::string_view name, std::span<const std::string> candidates) {
    std::string nearest;
    // About one slip in three letters: further away, a suggestion misleads more than it helps.
    std::size_t best = std::max<std::size_t>(2, name.size() / 3) + 1;
    for (const std::string &candidate : candidates) {
        const std::size_t distance = editDistance(name, candidate);
        if (distance < best && distance < std::max(name.size(), candidate.size())) {
            best = distance;
            nearest = candidate;
        }
    }
    if (!nearest.empty() || name.size() < 3)
        return nearest;
    const auto begins = [&](const std::string &candidate) {
        return candidate.starts_with(name) || name.starts_with(candidate);
    };
    const auto found = std::ranges::find_if(candidates, begins);
    return found == candidates.end() ? std::string() : *found;
}

std::string joinNames(std::span<const std::string> names, std::string_view lastWord) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0)
            text += i + 1 == names.size() ? " " + std::string(lastWord) + " " : ", ";
        text += names[i];
    }
    return text;
}

} // namespace tessera
