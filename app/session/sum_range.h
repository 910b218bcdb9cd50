// How large the numbers of a step can become, and whether floats hold them.
#pragma once

#include "app/session/step_plan.h"

#include <string>

namespace tessera {

// For values of at most `incoming` in magnitude: the largest sum before the division, as engines make it of a picture
// of floats or of integers (sumScaleKept() in app/engines/engine_support.h), and the largest result.
double largestSum(const StepPlan &plan, double incoming, bool fromFloat);
double largestResult(const StepPlan &plan, double incoming);

// What the user should know of sums that can leave the range of floats, of any picture of this format; empty where none
// can. Of float pictures, whose values nobody knows, nothing.
std::string sumsBeyondFloats(const std::vector<StepPlan> &plans, PixelFormat format, bool limited);

// The same of float pictures, afterwards: empty where the result is finite, or the source is not either. A look at
// each.
std::string valuesBeyondFloats(const Image &source, const Image &result);

} // namespace tessera
