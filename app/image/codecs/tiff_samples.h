// From stored TIFF samples to the depths of an Image.
#pragma once

#include "app/image/codecs/tiff_layout.h"

namespace tessera::codecs {

// Unpacks `count` samples of a decoded row, starting at sample `first` of it, into `target`, `step` samples apart. The
// row is as libtiff delivers it: 8 bits and more in this machine's byte order, fewer or odd ones packed from the top
// bit.
void unpackTiffSamples(const TiffLayout &layout, const std::byte *row, std::ptrdiff_t first, std::ptrdiff_t count,
                       void *target, std::ptrdiff_t step);

float halfToFloat(std::uint16_t half);

} // namespace tessera::codecs
