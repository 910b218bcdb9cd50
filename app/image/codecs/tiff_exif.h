// EXIF in TIFF. An EXIF block is itself a small TIFF: the camera's tags stand in its first directory, and pointers in
// that lead to the directories of the exposure and of the place. So they are copied from the one structure to the
// other. Thumbnails, interoperability data and BigTIFF are left out. Maker notes move, which some cameras' notes do not
// survive: their offsets count from the start of the file.
#pragma once

#include "app/image/codecs/codec.h"

#include <functional>

namespace tessera::codecs {

// `count` bytes at `offset` of a TIFF; false where it has fewer.
using ReadAt = std::function<bool(std::uint64_t offset, std::byte *target, std::size_t count)>;

// A block as ImageMetadata keeps it; empty where the TIFF holds none. Damaged parts are left out.
std::vector<std::uint8_t> exifFromTiff(const ReadAt &tiff);
std::vector<std::uint8_t> exifFromTiff(Bytes tiff);

// How a finished TIFF of the same byte order gets the block: `tail` comes behind its `size` bytes, then
// `firstDirectory` over its four bytes at offset 4. Empty for a damaged block, and where offsets would pass 32 bits.
struct ExifAddition {
    ByteVector tail;
    ByteVector firstDirectory;
};
constexpr std::size_t firstDirectoryOffset = 4;
ExifAddition exifForTiff(const ReadAt &tiff, std::uint64_t size, std::span<const std::uint8_t> exif);

// The same, done to a TIFF in memory.
void addExifToTiff(ByteVector &tiff, std::span<const std::uint8_t> exif);

} // namespace tessera::codecs
