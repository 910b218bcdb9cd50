// --verify: an output computed again, slowly and in float64, and compared.
#pragma once

#include "app/commands/batch/verification_bound.h"
#include "app/session/pipeline.h"
#include "app/stats/comparison.h"

#include <cstddef>
#include <span>
#include <string>

namespace tessera {

struct Verification {
    double maximumError = 0; // |output - reference|, in the output's units
    double relativeL2 = 0;
    bool fileMatches = true; // a lossless file decodes to exactly the picture that was computed
    bool lossless = true;    // else the comparison is of the picture before it was encoded
    bool withinBounds = true;
    bool mayOverflow = false; // sums can leave the range of floats: why it may not be
    // What an error beyond rounding comes from: the variant's own precision, the division by a thin alpha, the stretch
    // to the picture's range, or sums whose terms are large and cancel.
    enum class Cause { None, ReducedPrecision, ThinAlpha, Stretch, CancellingTaps };
    Cause cause = Cause::None;
};

// What is to say of an error that is within the bounds and still nothing that a user would call right; mostly empty.
std::string coarseNote(const Verification &verification, Depth output, const std::string &variant);

// Runs the steps on the reference engine. Bounds: 1 level for integer output (exact ties may round either way), 1e-5
// relative L2 for float; beyond that, what float32 arithmetic costs these steps (verification_bound.h). Variants of
// reduced precision state their own error and have none here. What NaN and infinities of the source reach counts as
// right where it is what the contract of engines allows (app/session/chain_reach.h).
Verification verifyOutput(const Image &source, const Image &result, std::span<const FilterStep> steps,
                          OutputDepth depth, const std::string &variant, const RunControl &control);

// Adds to `open` what the results of filters that can leave next to no alpha (canThinAlpha()) may be.
void openThinAlpha(OpenSamples &open, const ConstPixelView &expected, std::span<const FilterStep> steps,
                   PixelFormat source);

// For a picture that is filtered a part at a time: the engine that its parts are computed again with, and the judgement
// of what all of them together differ by.
EngineChoice referenceEngine();
Verification judge(const DifferenceSums &differences, Depth output, const VerificationBound &bound,
                   const std::string &variant);

// Decodes an encoded lossless picture and compares it with what was encoded.
bool decodesTo(std::span<const std::byte> encoded, const Image &picture);

} // namespace tessera
