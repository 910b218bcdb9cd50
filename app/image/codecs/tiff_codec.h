#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

// libtiff: strips and tiles, interleaved and planar, every compression that the library was built with. 8 and 16 bits
// as they are; half, float and double as float (doubles are rounded); signed 8 and 16 bits as float with their values;
// palettes, CMYK (8 bits), YCbCr and CIELab (8 bits) as RGB. Premultiplied alpha is divided out.
class TiffLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

// Deflate, with horizontal differences for integers; BigTIFF where 4 GiB might not do.
ByteVector encodeTiff(const Image &image, const SaveOptions &options);

} // namespace tessera::codecs
