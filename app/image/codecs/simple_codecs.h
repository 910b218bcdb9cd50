// BMP, TGA and Radiance HDR: formats simple enough that a bounds-checked reader of our own is shorter than the checks
// which stb_image would need in front of it. Its 2.27 takes a cut BMP or TGA for a picture with a black part, reads
// palette entries that were never filled, and does not return from a cut HDR.
#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

// 1 to 32 bits, palettes, bit fields, run lengths, Windows and OS/2 headers. A palette of greys gives a grey picture.
class BmpLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

// Palettes, grey, grey + alpha, 15 to 32 bits, run lengths, all four origins. TGA has no signature: ask this one last.
class TgaLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

// Radiance RGBE as float RGB.
class HdrLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

ByteVector encodeBmp(const Image &image, const SaveOptions &options); // 24 bits, or 8 with a grey palette
ByteVector encodeTga(const Image &image, const SaveOptions &options); // not compressed
// Refuses negative and non-finite values, for which RGBE has no code.
ByteVector encodeHdr(const Image &image, const SaveOptions &options);

} // namespace tessera::codecs
