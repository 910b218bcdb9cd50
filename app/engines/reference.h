// The plain float64 convolution: what every engine is measured against. It is written to be obviously right, not fast:
// four loops, one border function, one finish. A NaN or an infinity under a tap of 0, or as good as 0 (negligibleTap()
// in app/engines/reach.h), takes no part.
#pragma once

#include "app/engines/engine.h"

namespace tessera {

// sum(taps * source) / divisor + offset in float64, before response, rounding and saturation: the value of the output
// at (x, y) in the source's coordinates. It says how far a rounded result was from a tie.
double referenceValue(const ConvolutionJob &job, int x, int y, int channel);

// Fills job.target. The variant is ignored. Throws as Engine::convolve does.
void convolveReference(const ConvolutionJob &job, const RunControl &control = {});

} // namespace tessera
