// The EXIF block: a small TIFF file that starts with its byte order, as PNG's eXIf and WebP's EXIF chunk hold it (and
// JPEG's APP1 after "Exif\0\0"). Source: CIPA DC-008-2019 (Exif 2.32), section 4.5-4.6.
//
// The block is edited in place instead of being parsed and written anew, since that is the only way to keep maker
// notes (whose offsets are absolute) and unknown tags byte for byte, and since a wrong orientation must not depend on
// which libraries a build found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

// 1..8; 1 also where the block is damaged or says nothing.
int exifOrientation(std::span<const std::uint8_t> exif);

// Sets the orientation to 1 and takes the embedded thumbnail off the directory, because it would show the picture as
// it was. Without effect on a damaged block.
void resetExif(std::vector<std::uint8_t> &exif);

} // namespace tessera
