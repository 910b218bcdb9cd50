// Turning and mirroring by EXIF's orientation (CIPA DC-008, tag 0x0112).
#pragma once

#include "app/image/image.h"

namespace tessera {

// Orientations 5 to 8 swap width and height.
constexpr bool orientationSwapsSides(int orientation) { return orientation >= 5 && orientation <= 8; }

// The picture upright. `orientation` 1..8 says what row 0 and column 0 of `source` show:
// 1 top, left   2 top, right   3 bottom, right   4 bottom, left
// 5 left, top   6 right, top   7 right, bottom   8 left, bottom
// Metadata moves along unchanged.
Image applyOrientation(Image source, int orientation);

} // namespace tessera
