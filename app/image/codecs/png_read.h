#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

// libpng: every colour type and depth; palettes and 1, 2, 4 bits become 8 bits, tRNS becomes alpha.
class PngLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

ByteVector encodePng(const Image &image, const SaveOptions &options);

} // namespace tessera::codecs
