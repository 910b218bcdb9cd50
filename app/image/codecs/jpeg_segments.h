// JPEG's marker segments, read without decoding. Source: ITU-T T.81, annex B; Exif 2.32, section 4.7; ICC.1:2022, B.4.
#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

struct JpegSegments {
    unsigned width = 0, height = 0, components = 0, precision = 0;
    int process = 0;       // the frame marker's code: 0xC0 baseline, 0xC2 progressive, ...
    bool adobe = false;    // CMYK values are stored inverted
    bool complete = false; // the end marker was found; looked for on request only
    int scans = 1;         // passes over the picture; counted on request only
    std::vector<std::uint8_t> exif;
    std::vector<std::uint8_t> iccProfile;
};

// Empty where the content is no JPEG. Throws where the segments before the pixels are cut off or damaged.
std::optional<JpegSegments> readJpegSegments(const Source &source, bool lookForEnd);

// A progressive file may ask for any number of passes over the whole picture; real ones have about ten.
inline constexpr int mostJpegScans = 500;

// Grey or RGB. Throws for what no decoder here can read (12 bits, lossless, hierarchical).
Header jpegHeader(const Source &source, const JpegSegments &segments);

} // namespace tessera::codecs
