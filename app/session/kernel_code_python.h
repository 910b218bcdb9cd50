// Python that makes what a planned step makes.
#pragma once

#include "app/session/step_plan.h"

#include <string>

namespace tessera {

std::string openCvCode(const StepPlan &plan, PixelFormat format);
std::string sciPyCode(const StepPlan &plan, PixelFormat format);

} // namespace tessera
