#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

// libjpeg-turbo. Grey and colour as they are; CMYK and YCCK become sRGB.
class JpegLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

// Full colour resolution from quality 90 on, half below.
ByteVector encodeJpeg(const Image &image, const SaveOptions &options);

} // namespace tessera::codecs
