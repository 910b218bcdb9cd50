#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

ByteVector encodePnm(const Image &image, const SaveOptions &options); // P5 or P6, by the picture's channels
ByteVector encodePpm(const Image &image, const SaveOptions &options); // P6; grey becomes three equal channels
ByteVector encodePam(const Image &image, const SaveOptions &options); // P7
ByteVector encodePfm(const Image &image, const SaveOptions &options); // Pf or PF, in this machine's byte order

} // namespace tessera::codecs
