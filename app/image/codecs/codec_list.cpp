// Which loaders and savers there are, and their order: our own readers and the formats' reference libraries, stb where
// a library is missing, OpenCV for what is left, and last TGA, which has no signature to be known by.
#include "app/image/codecs/codec.h"
#include "app/image/codecs/opencv_codec.h"
#include "app/image/codecs/pnm_read.h"
#include "app/image/codecs/pnm_write.h"
#include "app/image/codecs/simple_codecs.h"

#ifdef TESSERA_WITH_PNG
#include "app/image/codecs/png_read.h"
#endif
#ifdef TESSERA_WITH_JPEG
#include "app/image/codecs/jpeg_codec.h"
#endif
#if !defined(TESSERA_WITH_PNG) || !defined(TESSERA_WITH_JPEG)
#include "app/image/codecs/stb_codec.h"
#endif
#ifdef TESSERA_WITH_TIFF
#include "app/image/codecs/tiff_codec.h"
#endif
#ifdef TESSERA_WITH_WEBP
#include "app/image/codecs/webp_codec.h"
#endif

namespace tessera::codecs {

namespace {

#ifndef TESSERA_WITH_PNG
using PngLoader = StbPngLoader;
constexpr auto encodePng = stbEncodePng;
#endif
#ifndef TESSERA_WITH_JPEG
using JpegLoader = StbJpegLoader;
constexpr auto encodeJpeg = stbEncodeJpeg;
#endif

} // namespace

std::span<const Loader *const> loaders() {
    static const PnmLoader pnm;
    static const HdrLoader hdr;
    static const PngLoader png;
    static const JpegLoader jpeg;
#ifdef TESSERA_WITH_TIFF
    static const TiffLoader tiff;
#endif
#ifdef TESSERA_WITH_WEBP
    static const WebpLoader webp;
#endif
    static const BmpLoader bmp;
    static const ExrLoader exr;
    static const Jp2Loader jp2;
    static const TgaLoader tga;
    static const Loader *const list[] = {
        &pnm,  &hdr, &png, &jpeg,
#ifdef TESSERA_WITH_TIFF
        &tiff,
#endif
#ifdef TESSERA_WITH_WEBP
        &webp,
#endif
        &bmp,  &exr, &jp2, &tga,
    };
    return list;
}

std::span<const Saver> savers() {
    static constexpr Saver list[] = {
        {"png", encodePng},   {"jpg", encodeJpeg},
#ifdef TESSERA_WITH_TIFF
        {"tiff", encodeTiff},
#endif
#ifdef TESSERA_WITH_WEBP
        {"webp", encodeWebp},
#endif
        {"exr", encodeExr},   {"hdr", encodeHdr},  {"pfm", encodePfm}, {"pnm", encodePnm}, {"ppm", encodePpm},
        {"pgm", encodePnm},   {"pam", encodePam},  {"bmp", encodeBmp}, {"tga", encodeTga},
    };
    return list;
}

} // namespace tessera::codecs
