// How the `separable` variant is laid over a picture. Pure host code; the launch stands in gpu/launch/separable.cu.
#pragma once

#include "gpu/launch/plan.h"

#include <cstddef>
#include <string>

namespace tessera {

struct SeparablePlan {
    int side = 0;         // the compiled size (separableSides)
    int leadingZeros = 0; // before the taps across, so that rows start where they are aligned
    int terms = 1;
    bool bulk = false;    // rows are copied in chunks; else value by value, several times slower
    int rowsPerSegment = 1;
    LaunchPlan launch;    // grid: strips x segments
    std::string refusal;  // empty where the plan can run; else a sentence without a final stop
};

// `converting`: the target's pixels are of another type than the source's. `firstColumn`: source column of the first tap of the first output. `aligned`: the source's base and pitch are
// multiples of 16 bytes.
SeparablePlan planSeparable(const ConvolutionShape &shape, int terms, bool converting, int firstColumn, bool aligned,
                            const DeviceLimits &limits);

} // namespace tessera
