// What `tessera batch` was told to filter, and what it says of that list.
#pragma once

#include "app/commands/batch/batch_inputs.h"
#include "app/commands/batch/batch_options.h"
#include "app/commands/batch/batch_plan.h"
#include "app/commands/console.h"

namespace tessera {

// Searches, and tells what was left out. Throws Error{Input} where nothing is left.
InputList listInputs(const BatchOptions &options, Console &console);

// What the options ask of the names of outputs.
PlanRequest planRequest(const BatchOptions &options);

} // namespace tessera
