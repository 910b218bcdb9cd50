// stb_image for builds without libpng or libjpeg-turbo. It trusts its input further than a program may that opens
// strangers' files, so that the structure of a file is checked before stb sees it.
#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

class StbPngLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

class StbJpegLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

ByteVector stbEncodePng(const Image &image, const SaveOptions &options);  // 8 bits; without profile and EXIF
ByteVector stbEncodeJpeg(const Image &image, const SaveOptions &options); // likewise

} // namespace tessera::codecs
