// From printing inks to RGB.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace tessera::codecs {

// Rows of interleaved 8-bit CMYK become sRGB: through the embedded profile where there is one and this build has
// Little CMS, else by R = (255 - C)(255 - K) / 255, which every viewer without colour management shows.
class CmykConverter {
public:
    // `inverted`: 255 stands for no ink, as Adobe's programs store it.
    CmykConverter(std::span<const std::uint8_t> profile, bool inverted);
    ~CmykConverter();
    CmykConverter(const CmykConverter &) = delete;
    CmykConverter &operator=(const CmykConverter &) = delete;

    void convertRow(const std::uint8_t *cmyk, std::uint8_t *rgb, int width) const;

private:
    void *transform_ = nullptr; // cmsHTRANSFORM
    bool inverted_;
};

} // namespace tessera::codecs
