// Luminance of rows of 8-bit pixels with the machine's vectors.
#pragma once

#include <cstdint>

namespace tessera {

// levels[i] = lumaLevel() of pixel i, the very same level, of `pixels` interleaved pixels of 3 or 4 channels.
void lumaLevels(const std::uint8_t *row, int channels, int pixels, std::uint8_t *levels);

} // namespace tessera
