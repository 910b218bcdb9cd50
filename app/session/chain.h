// What is done to a picture: the steps in order, and the depth of the result.
#pragma once

#include "app/session/pipeline.h"

#include <vector>

namespace tessera {

struct Chain {
    std::vector<FilterStep> steps;
    OutputDepth depth = OutputDepth::Keep;

    friend bool operator==(const Chain &, const Chain &) = default;
};

} // namespace tessera
