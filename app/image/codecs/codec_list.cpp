// Which loaders and savers there are, and their order. Our own and the formats' reference libraries come first, then
// stb for builds without those, then OpenCV for what is left.
#include "app/image/codecs/codec.h"
#include "app/image/codecs/pnm_read.h"
#include "app/image/codecs/pnm_write.h"

#ifdef TESSERA_WITH_PNG
#include "app/image/codecs/png_read.h"
#endif
#ifdef TESSERA_WITH_JPEG
#include "app/image/codecs/jpeg_codec.h"
#endif

#include <array>

namespace tessera::codecs {

std::span<const Loader *const> loaders() {
    static const PnmLoader pnm;
#ifdef TESSERA_WITH_PNG
    static const PngLoader png;
#endif
#ifdef TESSERA_WITH_JPEG
    static const JpegLoader jpeg;
#endif
    static const Loader *const list[] = {
        &pnm,
#ifdef TESSERA_WITH_PNG
        &png,
#endif
#ifdef TESSERA_WITH_JPEG
        &jpeg,
#endif
    };
    return list;
}

std::span<const Saver> savers() {
    static constexpr Saver list[] = {
#ifdef TESSERA_WITH_PNG
        {"png", encodePng},
#endif
#ifdef TESSERA_WITH_JPEG
        {"jpg", encodeJpeg},
#endif
        {"pfm", encodePfm},  {"pnm", encodePnm}, {"ppm", encodePpm}, {"pgm", encodePnm}, {"pam", encodePam},
    };
    return list;
}

} // namespace tessera::codecs
