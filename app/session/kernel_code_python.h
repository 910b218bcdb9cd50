// Python that makes what a planned step makes.
#pragma once

#include "app/session/step_plan.h"

#include <string>

namespace tessera {

std::string openCvCode(const StepPlan &plan, PixelFormat format, const std::string &file);
std::string sciPyCode(const StepPlan &plan, PixelFormat format, const std::string &file);

} // namespace tessera
