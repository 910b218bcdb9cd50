// PNG's outer structure, read without decoding. Source: PNG specification, third edition, clauses 5 and 11.
#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

struct PngChunks {
    std::uint32_t width = 0, height = 0;
    int bitDepth = 0, colourType = 0;
    bool hasTransparency = false; // tRNS
    bool interlaced = false;
    std::uint32_t animationFrames = 0;  // acTL
    std::vector<std::uint8_t> exif;     // eXIf
    Bytes profile;                      // iCCP as stored: name, method, compressed data
    std::vector<Bytes> compressed;      // the content of the IDAT chunks
    bool compressedIsScattered = false; // other chunks between them, against the specification
};

// Empty where the content is no PNG. Throws where chunks are cut off, missing or, with `checkSums`, altered.
std::optional<PngChunks> readPngChunks(const Source &source, bool checkSums);

// The picture that these chunks announce. Throws for animations and for header values outside the specification.
Header pngHeader(const Source &source, const PngChunks &chunks);

// Of a row as it is once inflated, without its filter byte. The colour type must be one of the specification.
std::uint64_t pngRowBytes(const PngChunks &chunks);

std::uint32_t pngCheckSum(Bytes bytes); // the CRC-32 of clause 5.5

} // namespace tessera::codecs
