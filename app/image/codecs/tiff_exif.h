// EXIF in TIFF. An EXIF block is itself a small TIFF: the camera's tags stand in its first directory, and pointers in
// that lead to the directories of the exposure and of the place. So they are copied from the one structure to the other.
// Thumbnails, interoperability data and BigTIFF are left out. Maker notes move, which some cameras' notes do not
// survive: their offsets count from the start of the file.
#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

// A block as ImageMetadata keeps it; empty where the TIFF holds none. Damaged parts are left out.
std::vector<std::uint8_t> exifFromTiff(Bytes tiff);

// Adds the block to a finished TIFF of the same byte order. Without effect on a damaged block.
void addExifToTiff(ByteVector &tiff, std::span<const std::uint8_t> exif);

} // namespace tessera::codecs
