// What the kernel editor does to a kernel. Each returns the changed kernel; the divisor becomes automatic only where
// it says so.
#pragma once

#include "app/filters/kernel.h"

#include <optional>
#include <string_view>

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

// Which other taps take the value of the one that is edited, about the middle of the grid.
enum class KernelSymmetry {
    None,
    LeftRight,
    TopBottom,
    Both,      // left, right, top and bottom: four taps
    Point,     // turned by 180 degrees
    PointSign, // turned by 180 degrees, with the opposite sign: derivatives
    Round      // Both and the diagonals: eight taps; in a kernel that is not square, Both
};

// The tap and those that symmetry ties to it. A tap that lies on its own image under PointSign becomes 0. Throws as
// withTap does.
ConvolutionKernel withSymmetricTap(const ConvolutionKernel &kernel, int u, int v, double value,
                                   KernelSymmetry symmetry);

// A number as people write it: "0.5", "-1", "1/9", with a decimal comma "0,5". Empty where it is none or not finite.
std::optional<double> parseTap(std::string_view text);

// Whether the text is written as a number, or a fraction of two, that no double holds: "1e400".
bool isOutOfRange(std::string_view text);

// Numbers from a spreadsheet, written from (u, v) on; the kernel grows where they do not fit. Rows by line; cells by
// tab or semicolon where there are any, which lets a comma be a decimal one, and an empty cell leaves its tap; else by
// comma or space. Cells as parseTap reads them. Throws Error{Usage} naming what is not a number.
ConvolutionKernel withPastedTaps(const ConvolutionKernel &kernel, int u, int v, const std::string &text);

} // namespace tessera
