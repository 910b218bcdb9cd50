// Plain second implementations that the tests of filters hold the kernels against.
#pragma once

#include "app/filters/filter.h"

#include <functional>

namespace tessera::test {

using Picture = std::function<double(int x, int y)>; // defined everywhere, so there are no borders

// The header's definition of correlation, term by term: sum over taps * picture / divisor + offset.
double correlate(const ConvolutionKernel &kernel, const Picture &picture, int x, int y);

// The only kernel of a filter given as on the command line.
ConvolutionKernel kernelOf(const char *filter);

// Sums over the taps divided by the divisor: total weight, centre of mass and second moments about it, in pixels from
// the anchor.
struct Moments {
    double sum = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
};
Moments momentsOf(const ConvolutionKernel &kernel);

// The largest difference between taps / divisor and those of the kernel turned or mirrored.
double asymmetryLeftRight(const ConvolutionKernel &kernel);
double asymmetryUpDown(const ConvolutionKernel &kernel);
double asymmetryDiagonal(const ConvolutionKernel &kernel); // square kernels: about x = y

} // namespace tessera::test
