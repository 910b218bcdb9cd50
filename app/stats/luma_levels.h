// Luminance of rows of 8-bit pixels with the machine's vectors.
#pragma once

#include <cstdint>

namespace tessera {

// levels[i] = lumaLevel() of pixel i, the very same level, of `pixels` interleaved pixels of 3 or 4 channels.
void lumaLevels(const std::uint8_t *row, int channels, int pixels, std::uint8_t *levels);

// Takes 2 to 4 interleaved channels apart: pixel i's go to planes[c * stride + i]. With 3 or 4 of them luminance goes
// behind the last.
void separateLevels(const std::uint8_t *row, int channels, int pixels, std::uint8_t *planes, int stride);

} // namespace tessera
