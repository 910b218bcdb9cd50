// The same convolution in other people's tools, to be pasted there.
#pragma once

#include "app/session/pipeline.h"

#include <string>

namespace tessera {

enum class CodeTarget { OpenCv, SciPy, ImageMagick };

// Python for OpenCV and SciPy (a picture in `picture`, 8 bit, grey or colours last), a command line for ImageMagick 7.
// Says the step's first kernel with its anchor, divisor, offset, flip and border, applied to every channel.
std::string kernelCode(const FilterStep &step, CodeTarget target);

} // namespace tessera
