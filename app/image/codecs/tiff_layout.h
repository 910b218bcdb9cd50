// How a TIFF stores its samples, and what becomes of them.
#pragma once

#include "app/image/codecs/tiff_file.h"

namespace tessera::codecs {

struct TiffLayout {
    enum class Colour { Grey, InvertedGrey, Rgb, Palette, Cmyk, ThroughLibrary };

    Header header;
    Colour colour = Colour::Grey;
    int samples = 1;      // stored a pixel, extra ones included
    int bits = 8;         // a stored sample
    int sampleFormat = 1; // SAMPLEFORMAT_UINT, _INT or _IEEEFP
    bool planes = false;  // one channel after the other
    bool premultiplied = false;
    Depth sampleDepth =
        Depth::U8; // of the samples once unpacked; 1 to 7 and 9 to 15 bits are stretched to the full range
};

// Throws for what cannot be represented: several pages, more than four channels, 32-bit integers.
TiffLayout readTiffLayout(const Source &source, TiffFile &file);

} // namespace tessera::codecs
