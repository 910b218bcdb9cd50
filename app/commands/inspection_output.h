// An inspection as text for people and as JSON.
#pragma once

#include "app/bench/inspection.h"
#include "app/commands/json_output.h"

#include <string>
#include <vector>

namespace tessera {

std::string inspectionText(const Inspection &inspection);

// A row a variant, to compare them; `refusals` are variants that cannot run this, with the reason.
std::string inspectionOverview(const std::vector<Inspection> &inspections,
                               const std::vector<std::pair<std::string, std::string>> &refusals);

// "variant", "width", ... and the parts "plan", "model", "simulated" (where asked for) and "device" (where a GPU is).
Json inspectionJson(const Inspection &inspection);

} // namespace tessera
