// Some formats store colours multiplied by alpha; an Image never does.
#pragma once

#include "app/image/image.h"

namespace tessera::codecs {

// Divides the colours by alpha. Under an alpha of 0 they stay as they are.
void unpremultiply(const PixelView &view);

// The inverse, for float pictures.
void premultiply(const PixelView &view);

} // namespace tessera::codecs
