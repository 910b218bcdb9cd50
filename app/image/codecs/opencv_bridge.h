// OpenCV's codecs, loaded when a picture first needs them: linking imgcodecs would pull some 140 libraries into every
// start of the program.
#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

// Whether the codec module lies where the program would load it from. Cheap: loads nothing.
bool opencvCodecsPresent();

// Throws Error{Input}/Error{Output} where the module is missing or fails.
Image opencvDecode(const Source &source, const Header &header);
ByteVector opencvEncode(const Image &image, std::string_view extension, int quality);

} // namespace tessera::codecs
