// What a kernel is: how separable, and what it does to frequencies.
#pragma once

#include "app/filters/kernel.h"
#include "app/session/chain.h"

#include <utility>
#include <vector>

namespace tessera {

struct KernelRank {
    int rank = 1;              // of the taps, to 1e-9 of the largest singular value
    double firstShare = 1;     // share of the taps' energy (sum of squares) in the best separable kernel
    double separableError = 0; // largest difference of a tap, were it replaced by that one, relative to the largest tap
    // The most that an output can be off then, whatever the picture, as a share of the picture's full range: all
    // pixels white where taps are too large, or where they are too small. Divisor and all.
    double worstOutput = 0;
};
KernelRank analyseRank(const ConvolutionKernel &kernel);

// The best separable approximation as two kernels to be run one after the other: across (height 1), then down (width
// 1), which carries divisor and offset. Exact where the rank is 1.
std::pair<ConvolutionKernel, ConvolutionKernel> separated(const ConvolutionKernel &kernel);

// The step as two steps with the step's options, whose result is that of separated() for every border: what lies
// between them stays within 0..maximum (white in the picture's units), where a chain limits it. That takes a pass that
// only averages first; where neither does, the first is scaled and shifted and the second undoes it. Throws
// Error{Usage} where the step's filter is not one kernel, and where such a shift would not come out even: in linear
// light and on lightness alone.
std::pair<FilterStep, FilterStep> inTwoPasses(const FilterStep &step, double maximum);

// What a kernel makes of a single pixel of 1 on 0: `width` x `height` values over the divisor, row by row; the pixel is
// at (x, y). Correlation leaves the taps turned by 180 degrees, `flip` (true convolution) as written.
struct ImpulseResponse {
    int width = 0, height = 0;
    int x = 0, y = 0;
    std::vector<double> values;
};
ImpulseResponse impulseResponse(const ConvolutionKernel &kernel, bool flip);

// |H(fx, fy)| of the kernel over its divisor: `side` x `side` values, row by row, frequencies from -1/2 to 1/2 cycles a
// pixel, 0 in the middle (index side / 2). Direct sums, row by row and then column by column.
std::vector<float> frequencyResponse(const ConvolutionKernel &kernel, int side);

// |H| along one axis, where the other frequency is 0: `intervals` + 1 values from 0 to 1/2 cycles a pixel. Of a kernel
// `across`, its columns; else its rows.
std::vector<double> frequencyCourse(const ConvolutionKernel &kernel, bool across, int intervals);

} // namespace tessera
