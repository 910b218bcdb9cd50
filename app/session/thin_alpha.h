// Weighted colours are divided by the alpha that was filtered with them. Where little of it is left, a quotient shows
// what rounding alone carried there from around (RunTimes::roundsLocally), so that flat colours turn into noise. Those
// pixels, the thin ones, are to be computed again by sums of their own terms; here it is said which they are.
#pragma once

#include "app/core/run_control.h"
#include "app/session/step_plan.h"

#include <vector>

namespace tessera {

struct ThinParts {
    std::vector<Rectangle> some; // hold thin pixels that some alpha goes into
    std::vector<Rectangle> none; // hold thin pixels, and no alpha goes into any pixel: theirs is 0
};

// In the picture's coordinates, within `region`; disjoint. `alpha`: what the region's colours will be divided by, in
// stored units, one float channel of the region's size. `plane`: with AlphaPlan::Weighted the picture's own alpha, of
// its whole size, valid on all that the region needs; else not looked at. `maximum`: of an opaque pixel.
ThinParts findThinParts(const StepPlan &plan, const ConstPixelView &alpha, const Rectangle &region, float maximum,
                        const ConstPixelView &plane, const RunControl &control);

// Replaces the thin pixels of a part: `colours` and, with AlphaPlan::Weighted, `alpha` by their exact counterparts. All
// float views of the part's size.
void replaceThin(const StepPlan &plan, float maximum, const ConstPixelView &exactColours,
                 const ConstPixelView &exactAlpha, const PixelView &colours, const PixelView &alpha);

} // namespace tessera
