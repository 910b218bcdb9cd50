// Runs one planned step on a part of the picture.
#pragma once

#include "app/image/sample_mask.h"
#include "app/session/engine_calls.h"
#include "app/session/pixel_passes.h"
#include "app/session/step_plan.h"

namespace tessera {

// What of `current`, of which only size and kind are looked at, has to be valid for runStep(): neededArea(), and what
// the engine computes besides.
Rectangle readArea(const ConstPixelView &current, const Rectangle &region, const StepPlan &plan,
                   const EngineCalls &calls);

// `current`: the whole picture's size, in the units of `range`, of any depth, valid at least on its readArea().
// `target`: of the region's size; float, or of the depth range.units. `counts`, where there are any, take its levels if
// the engine counts them while it convolves straight into the target; else they stay empty. `open`: samples of current,
// besides those that are not finite, that engines may differ in (chain_reach.h): by what they reach no range is
// measured.
void runStep(const ConstPixelView &current, const Rectangle &region, const StepPlan &plan, const ValueRange &range,
             const PixelView &target, EngineCalls &calls, const SampleMask &open = {}, LevelCounts *counts = nullptr);

// How many convolutions runStep will ask for.
std::size_t convolutionsOf(const StepPlan &plan);

} // namespace tessera
