// BMP's headers. Source: Microsoft, "Bitmap Storage" (BITMAPCOREHEADER to BITMAPV5HEADER); OS/2 2.x headers are their
// first 16 to 64 bytes.
#pragma once

#include "app/image/codecs/codec.h"

#include <array>
#include <cstdint>

namespace tessera::codecs {

struct BmpHeader {
    enum class Coding { Plain, RunLength8, RunLength4 };

    ImageInfo info;
    bool topDown = false;
    int bitsPerPixel = 0;
    Coding coding = Coding::Plain;
    std::array<std::uint32_t, 4> masks{};             // red, green, blue, alpha; 16 and 32 bits only
    std::vector<std::array<std::uint8_t, 3>> palette; // RGB; up to 8 bits only
    std::size_t pixelOffset = 0;

    std::size_t rowBytes() const { // rows are filled up to four bytes
        return (std::size_t(info.width) * std::size_t(bitsPerPixel) + 31) / 32 * 4;
    }
    std::uint64_t smallestRaster() const; // in bytes; 0 for run lengths, which may leave nearly all of it out
};

// Empty where the content is no BMP.
std::optional<BmpHeader> readBmpHeader(const Source &source);

} // namespace tessera::codecs
