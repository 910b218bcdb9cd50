// A lake in the mountains on a clear evening, in linear light: the photograph-like sample, and the float one.
#pragma once

#include "app/image/image.h"

namespace tessera::samples {

// Three channels of linear light as floats; the sun's disc reaches over 100, a sunlit wall about 1.
Image renderLandscape(int width, int height);

// As a camera would store it: exposure, a film-like curve, the sRGB transfer function, a little grain, 8 bits.
Image developPhotograph(const Image &linear);

} // namespace tessera::samples
