// A job's kernel in a lane of a GPU: what is launched, and what it took.
#pragma once

#include "app/engines/cuda_lane.h"
#include "app/engines/variant_advice.h"

namespace tessera {

// Launches the variant into the lane's stream. `source` holds the picture's `window`, `target` takes the job's region.
void launchInLane(Lane &lane, const VariantChoice &choice, const ConvolutionJob &job, const Rectangle &window,
                  const DeviceLimits &limits, const RawView &source, const RawView &target);

// By the lane's events, once its stream is empty. `checked`: the picture was looked at before, which is no part of the
// filter.
RunTimes timesInLane(const Lane &lane, const VariantAdvice &advice, const ConvolutionJob &job, bool checked);

} // namespace tessera
