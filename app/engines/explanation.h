// Why a variant takes the time it takes, in one sentence from the access model: for the rows of a race.
#pragma once

#include "app/engines/engine.h"
#include "gpu/launch/plan.h"

#include <string>

namespace tessera {

// Of job.variant on a device with these limits: "Each input value is read 25 times, 4.8 sectors a request; ...". Of the
// pictures only size and format count. Empty for variants that are no kernels of this project (cpu, opencv, ...) and
// where the variant cannot run the job. No final stop.
std::string explainJob(const ConvolutionJob &job, const DeviceLimits &limits = {});

} // namespace tessera
