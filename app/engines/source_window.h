// The part of the source that a job reads: what a device needs to be sent.
#pragma once

#include "app/engines/engine.h"

namespace tessera {

// A rectangle of job.source such that the same job on that part alone, its region moved by the rectangle's corner,
// gives the same result: of direct sums to the last bit, of transforms to their rounding. It begins at a multiple of
// `alignment` pixels to the left of the region where it does not begin at the picture's edge.
Rectangle sourceWindow(const ConvolutionJob &job, int alignment = 1);

} // namespace tessera
