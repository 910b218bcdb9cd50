// What becomes of a sum, prepared for the inner loops: gpu/image/finish.h without its questions.
#pragma once

#include "app/filters/kernel.h"
#include "app/image/image.h"
#include "gpu/image/finish.h"

namespace tessera::cpu {

// value = sum * factor + offset, or (sum / factor) + offset where `divides`; then its magnitude where `absolute`; then
// rounded and limited by the depth it is stored in.
struct SampleFinish {
    float factor = 1.0f;
    float offset = 0.0f; // with the half range of Response::Signed
    bool divides = false;
    bool absolute = false;
    bool mayBeNaN = false; // sums of floats: of such a level must be made, 0

    friend bool operator==(const SampleFinish &, const SampleFinish &) = default;
};

// A division takes as long as a dozen multiply-adds. It is left out where the product with the reciprocal stores the
// same levels: for float results (one more rounding, within every engine's error bound), for divisors that are powers
// of two, and for integer results that are no ties or so far from one that the product cannot reach it. It stays where
// whole taps and an even divisor make ties common: 45 / 10 is one, 45 * 0.1f is not.
SampleFinish sampleFinish(const Finish &finish, const ConvolutionKernel &kernel, Depth target);

} // namespace tessera::cpu
