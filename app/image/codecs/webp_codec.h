#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

// libwebp: RGB or RGBA.
class WebpLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

// Quality 100 means lossless, colours under full transparency included. Sides of up to 16383 pixels.
ByteVector encodeWebp(const Image &image, const SaveOptions &options);

} // namespace tessera::codecs
