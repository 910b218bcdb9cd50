// How far a correct result may be from the reference: what float32 arithmetic costs a chain of steps.
#pragma once

#include "app/session/pipeline.h"

#include <span>

namespace tessera {

// In the units of the output. Each step multiplies what errors come in by its gain, the sum of |taps| over |divisor|,
// and adds its own: n products and sums that each round by 2^-24 of the largest value times the gain. `largest`: all
// of them to the same side (Engine::errorBound()); `typical`: the root of the mean square, where they fall to either
// side and add like their root (Higham, Accuracy and Stability of Numerical Algorithms, 2002, 2.8).
struct VerificationBound {
    double largest = 0, typical = 0;
    bool mayOverflow = false; // sums can leave the range of floats: all are 0 then, as no bound holds
    // `largest` without what the division by a thin alpha and a stretch make of it, and with the first of the two.
    double ofSums = 0, ofAlpha = 0;
};

// For source values of at most `largest` in magnitude, in the source's units. The division by a filtered alpha is taken
// without what it amplifies, which the pixels decide; so do they for a response that is stretched to the picture's
// range: `stretch` is by how much (PipelineTimes), where one knows.
VerificationBound boundOf(std::span<const FilterStep> steps, PixelFormat source, double largest, OutputDepth depth,
                          double stretch = 1.0);

// Whether colours are weighed by alpha under taps of which some are negative: then what they are divided by at last can
// be as small as rounding, and a result anything. Below this share of the full alpha no bound holds.
bool canThinAlpha(std::span<const FilterStep> steps, PixelFormat source);
inline constexpr double thinAlpha = 1.0 / 16;

} // namespace tessera
