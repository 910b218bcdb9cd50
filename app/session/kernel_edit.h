// What the kernel editor does to a kernel. Each returns the changed kernel; the divisor becomes automatic only where
// it says so.
#pragma once

#include "app/filters/kernel.h"

namespace tessera {

// The new size about the same anchor: taps that fall outside are dropped, new ones are 0. The anchor stays on its tap,
// or moves to (width / 2, height / 2) where that tap is gone or the kernel was centred. Sides 1..maximumSide.
ConvolutionKernel resized(const ConvolutionKernel &kernel, int width, int height);

ConvolutionKernel rotated90(const ConvolutionKernel &kernel);            // clockwise as drawn, anchor along
ConvolutionKernel mirroredHorizontally(const ConvolutionKernel &kernel); // left and right change places
ConvolutionKernel mirroredVertically(const ConvolutionKernel &kernel);   // top and bottom change places
ConvolutionKernel scaled(const ConvolutionKernel &kernel, double factor);

// Throws Error{Usage} where the column or row does not exist or the value is not finite.
ConvolutionKernel withTap(const ConvolutionKernel &kernel, int u, int v, double value);

// Numbers from a spreadsheet, rows by line, cells by tab, comma, semicolon or space, written from (u, v) on; the kernel
// grows where they do not fit. Throws Error{Usage} naming what is not a number.
ConvolutionKernel withPastedTaps(const ConvolutionKernel &kernel, int u, int v, const std::string &text);

} // namespace tessera
