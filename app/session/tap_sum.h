// One output value taken apart: every tap, the value it met, and what became of the sum.
#pragma once

#include "app/session/pipeline.h"

#include <string>
#include <vector>

namespace tessera {

struct TapTerm {
    int u = 0, v = 0; // in the kernel
    double tap = 0, value = 0;
    bool outside = false; // the value comes from the border
    double product() const { return tap * value; }
};

struct TapSum {
    int channel = 0;
    int width = 0, height = 0;  // of the kernel
    std::vector<TapTerm> terms; // row by row
    double sum = 0, divisor = 1, offset = 0;
    double value = 0; // sum / divisor + offset, before response, rounding and saturation
    // Empty where the sum is all there is to it; else what else the step does (alpha weights, linear light, several
    // kernels), so that the value is that of the first kernel on the stored values alone.
    std::string caveat;
};

// The sum of the step's first kernel at (x, y) of the picture that the step gets. Throws Error{Usage} as the pipeline
// does for contradictory options.
TapSum explainPixel(const ConstPixelView &picture, const FilterStep &step, int x, int y, int channel);

// A tap, a value or a sum as text: whole numbers whole and large ones with a decimal, as far as doubles tell them
// apart; small ones with so many digits that count.
std::string tapNumber(double value, int digits = 4);
// As many of a sum, so that it is seen why 118.4992 became 118.
inline constexpr int sumDigits = 6;

// "1.859·138 − 0.094·136 + … = 143.2": the largest products first, `shown` of them.
std::string tapSumText(const TapSum &sum, int shown = 3);

} // namespace tessera
