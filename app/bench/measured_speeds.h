// From a report to the planner's table of speeds.
#pragma once

#include "app/bench/report.h"
#include "gpu/launch/speed_table.h"

#include <string_view>
#include <vector>

namespace tessera::bench {

// What the rows of a device say about its variants: kernels alone, cold, on pictures of at least 4 megapixels, with
// their promised error kept. Options of a variant ("blocked:specialise=never") count as the variant where they are what
// it does at first, else not at all; separable as a sum of one term, of Gaussians.
std::vector<SpeedPoint> speedsOf(const Report &report, std::string_view device);

} // namespace tessera::bench
