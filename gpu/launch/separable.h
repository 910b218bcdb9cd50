// How the `separable` variant is laid over a picture. Pure host code; the launch stands in gpu/launch/separable.cu.
#pragma once

#include "gpu/kernels/separable_bytes.h"
#include "gpu/launch/plan.h"
#include "gpu/model/factors.h"

#include <optional>
#include <string>

namespace tessera {

struct SeparablePlan {
    int side = 0;         // the compiled size (separableSides)
    int leadingZeros = 0; // before the taps across, so that rows start where they are aligned
    int terms = 1;
    bool bulk = false; // rows are copied in chunks; else value by value, several times slower
    int rowsPerSegment = 1;
    LaunchPlan launch;   // grid: strips x segments
    std::string refusal; // empty where the plan can run; else a sentence without a final stop
};

// `converting`: the target's pixels are of another type than the source's. `firstColumn`: source column of the first
// tap of the first output. `aligned`: the source's base and pitch are multiples of 16 bytes.
SeparablePlan planSeparable(const ConvolutionShape &shape, int terms, bool converting, int firstColumn, bool aligned,
                            const DeviceLimits &limits);

// The form of gpu/kernels/separable_bytes.h, for 8-bit pixels of one channel in rows that begin at multiples of 16
// bytes in both pictures. Refused where the other form is better or the only one: look there.
// `parts`: byteParts().
SeparablePlan planSeparableBytes(const ConvolutionShape &shape, int terms, int parts, int firstColumn,
                                 const DeviceLimits &limits);

// Halves that the taps must be cut into: 1 where it holds them exactly, else 2.
int byteParts(const model::SeparableTerm &term);

// What that kernel multiplies by and adds. Nothing where a factor is not finite, or so far from 1 that scales would
// leave the range of floats. Zeros and factors must fit a size that planSeparableBytes() chose.
struct ByteTaps {
    SeparableByteOperands operands; // taps, scale, base, finish and reciprocal; no pictures
    bool quick = false;
};
std::optional<ByteTaps> byteTaps(const model::SeparableTerm &term, int leadingZeros, const Finish &finish);

} // namespace tessera
