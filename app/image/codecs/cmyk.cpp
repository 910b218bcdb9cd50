#include "app/image/codecs/cmyk.h"

#include "app/image/codecs/icc.h"

#ifdef TESSERA_WITH_LCMS
#include <lcms2.h>
#endif

namespace tessera::codecs {

namespace {

#ifdef TESSERA_WITH_LCMS
void *makeTransform(std::span<const std::uint8_t> profile, bool inverted) {
    if (iccColourSpace(profile) != "CMYK")
        return nullptr;
    cmsHPROFILE from = cmsOpenProfileFromMem(profile.data(), cmsUInt32Number(profile.size()));
    cmsHPROFILE to = cmsCreate_sRGBProfile();
    void *transform = nullptr;
    if (from && to)
        transform = cmsCreateTransform(from, inverted ? TYPE_CMYK_8_REV : TYPE_CMYK_8, to, TYPE_RGB_8,
                                       INTENT_PERCEPTUAL, cmsFLAGS_NOCACHE); // without a cache threads may share it
    if (from)
        cmsCloseProfile(from);
    if (to)
        cmsCloseProfile(to);
    return transform;
}
#else
void *makeTransform(std::span<const std::uint8_t>, bool) { return nullptr; }
#endif

std::uint8_t withoutInk(unsigned colour, unsigned black) {
    return static_cast<std::uint8_t>((colour * black + 127) / 255);
}

} // namespace

CmykConverter::CmykConverter(std::span<const std::uint8_t> profile, bool inverted)
    : transform_(makeTransform(profile, inverted)), inverted_(inverted) {}

CmykConverter::~CmykConverter() {
#ifdef TESSERA_WITH_LCMS
    if (transform_)
        cmsDeleteTransform(transform_);
#endif
}

void CmykConverter::convertRow(const std::uint8_t *cmyk, std::uint8_t *rgb, int width) const {
#ifdef TESSERA_WITH_LCMS
    if (transform_) {
        cmsDoTransform(transform_, cmyk, rgb, cmsUInt32Number(width));
        return;
    }
#endif
    const std::uint8_t flip = inverted_ ? 0 : 255;
    for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3)
        for (int c = 0; c < 3; ++c)
            rgb[c] = withoutInk(cmyk[c] ^ flip, cmyk[3] ^ flip);
}

} // namespace tessera::codecs
