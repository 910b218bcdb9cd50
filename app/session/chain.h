// What is done to a picture: the steps in order, and the depth of the result.
#pragma once

#include "app/session/pipeline.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace tessera {

struct Chain {
    std::vector<FilterStep> steps;
    OutputDepth depth = OutputDepth::Keep;
    // Only this part of the picture is filtered, the rest stays as it is. In pixels of the picture; what lies outside
    // the picture counts for nothing. Belongs to one picture: presets and batches leave it out.
    std::optional<Rectangle> area = std::nullopt;

    friend bool operator==(const Chain &, const Chain &) = default;
};

// Whether any of its steps is on.
inline bool doesAnything(const Chain &chain) {
    return std::ranges::any_of(chain.steps, [](const FilterStep &step) { return step.enabled; });
}

} // namespace tessera
