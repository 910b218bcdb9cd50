// What the generators share: one-dimensional weights, products, directions.
#pragma once

#include "app/filters/filter.h"

#include <vector>

namespace tessera {

inline constexpr int maximumFilterSide = 63; // of the filters shipped; what a GPU takes as kernel parameters

// One kernel with an explicit divisor, alone in its program.
FilterProgram singleKernel(ConvolutionKernel kernel, double divisor = 1.0);

// column[v] * row[u].
std::vector<double> outerProduct(const std::vector<double> &row, const std::vector<double> &column);

// How far a gaussian reaches: ceil(reach * sigma), at least 1 and at most 31. At 3 sigma 99.7 % of a line's weight
// lies inside.
int gaussianRadius(double sigma, double reach = 3.0);

// exp(-i^2 / (2 sigma^2)) at the pixels' centres -radius..radius, divided by its sum.
std::vector<double> gaussianLine(double sigma, int radius);

// The same in two dimensions, (2 radius + 1)^2 values that add up to 1.
std::vector<double> gaussianSquare(double sigma, int radius);

// Makes the taps of an odd square kernel add up to 1 by adjusting the centre: what rounding left over.
void settleSum(std::vector<double> &taps, double target);

// Divides by the sum.
void normalizeSum(std::vector<double> &taps);

// Cuts rows and columns of zeros off a square kernel of odd side, the same number on opposite sides.
ConvolutionKernel cropped(int radius, const std::vector<double> &taps);

struct Direction {
    double x, y; // y grows downwards, as in the picture
};

// Unit vector of an angle in degrees, counter-clockwise from the right as seen on the screen; exact at multiples of 45.
Direction directionOf(double degrees);

} // namespace tessera
