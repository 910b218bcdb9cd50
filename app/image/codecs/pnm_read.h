#pragma once

#include "app/image/codecs/codec.h"

namespace tessera::codecs {

// PBM, PGM, PPM, PAM and PFM. Values below a largest value other than 255 or 65535 are stretched to the full range.
class PnmLoader : public Loader {
public:
    std::optional<Header> readHeader(const Source &source) const override;
    Image decode(const Source &source, const Header &header) const override;
};

} // namespace tessera::codecs
