// The same convolution in other people's tools, to be pasted there.
#pragma once

#include "app/session/pipeline.h"

#include <string>

namespace tessera {

enum class CodeTarget { OpenCv, SciPy, ImageMagick };

// Python for OpenCV and SciPy, a command line for ImageMagick 7. Says all of the step: kernels and how they combine,
// anchor, divisor, offset, flip, border, channels, alpha, linear light and response; the result has the picture's own
// depth. The Python is for an array `picture` of the format's channels, 8 bit, 16 bit or float, grey or colours last,
// in the order that the library itself reads: blue first for OpenCV, red first for SciPy. It says so, loads it from
// `file` (UTF-8; where it is empty, from a name that stands for one), with imageio for SciPy, which reads none itself,
// and leaves `result`.
//
// Throws Error{Usage} as planStep does, and where ImageMagick has no word for it, saying what is missing.
std::string kernelCode(const FilterStep &step, CodeTarget target, PixelFormat format, const std::string &file = {});

} // namespace tessera
