// What is left to OpenCV: OpenEXR and JPEG 2000. Their headers are read here, since OpenCV decodes before it says how
// large a picture is.
#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

// Alpha is premultiplied in the file (its specification says so) and is not in an Image.
class ExrLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

// 8 and 16 bits; grey, RGB and RGBA.
class Jp2Loader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

ByteVector encodeExr(const Image &image, const SaveOptions &options); // 32-bit float

} // namespace tessera::codecs
