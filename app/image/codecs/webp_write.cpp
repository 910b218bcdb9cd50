#include "app/image/codecs/icc.h"
#include "app/image/codecs/webp_codec.h"
#include "app/image/format_limits.h"

#include <memory>
#include <new>
#include <webp/encode.h>
#include <webp/mux.h>

namespace tessera::codecs {

namespace {

WebPConfig configFor(int quality) {
    constexpr int losslessEffort = 4; // of 0..9: beyond, seconds buy a few per cent
    WebPConfig config;
    bool valid = WebPConfigPreset(&config, WEBP_PRESET_PHOTO, float(quality));
    if (quality == 100) {
        valid = valid && WebPConfigLosslessPreset(&config, losslessEffort);
        config.exact = 1;
    }
    if (!valid || !WebPValidateConfig(&config))
        failOutput("WebP", "the installed libwebp does not fit this build");
    return config;
}

class WebpPicture {
public:
    explicit WebpPicture(const ConstPixelView &view) {
        WebPMemoryWriterInit(&writer_);
        if (!WebPPictureInit(&picture_))
            failOutput("WebP", "the installed libwebp does not fit this build");
        picture_.use_argb = 1;
        picture_.width = view.width;
        picture_.height = view.height;
        picture_.writer = WebPMemoryWrite;
        picture_.custom_ptr = &writer_;
        if (!import(view))
            throw std::bad_alloc();
    }
    ~WebpPicture() {
        WebPPictureFree(&picture_);
        WebPMemoryWriterClear(&writer_);
    }
    WebpPicture(const WebpPicture &) = delete;
    WebpPicture &operator=(const WebpPicture &) = delete;

    void encode(const WebPConfig &config) {
        if (WebPEncode(&config, &picture_))
            return;
        if (picture_.error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
            picture_.error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY)
            throw std::bad_alloc();
        failOutput("WebP", "libwebp's error " + std::to_string(picture_.error_code), "choose png or tiff");
    }
    WebPData data() const { return {writer_.mem, writer_.size}; }

private:
    bool import(const ConstPixelView &view) {
        if (view.format.channels == 4)
            return WebPPictureImportRGBA(&picture_, view.row<std::uint8_t>(0), int(view.pitch));
        if (view.format.channels == 3)
            return WebPPictureImportRGB(&picture_, view.row<std::uint8_t>(0), int(view.pitch));
        if (!WebPPictureAlloc(&picture_)) // grey, with or without alpha: WebP has colours only
            return false;
        for (int y = 0; y < view.height; ++y) {
            const auto *grey = view.row<std::uint8_t>(y);
            std::uint32_t *row = picture_.argb + std::ptrdiff_t(y) * picture_.argb_stride;
            for (int x = 0; x < view.width; ++x, grey += view.format.channels)
                row[x] = (view.format.channels == 2 ? std::uint32_t(grey[1]) << 24 : 0xff000000u) | grey[0] * 0x010101u;
        }
        return true;
    }

    WebPPicture picture_;
    WebPMemoryWriter writer_;
};

// Adds profile and EXIF, which live in chunks around the coded picture.
ByteVector withMetadata(const WebPData &coded, const std::vector<std::uint8_t> &profile,
                        const std::vector<std::uint8_t> &exif) {
    const std::unique_ptr<WebPMux, decltype(&WebPMuxDelete)> mux(WebPMuxCreate(&coded, 0), WebPMuxDelete);
    const auto add = [&](const char *name, const std::vector<std::uint8_t> &content) {
        const WebPData data{content.data(), content.size()};
        return content.empty() || WebPMuxSetChunk(mux.get(), name, &data, 1) == WEBP_MUX_OK;
    };
    WebPData whole{};
    if (!mux || !add("ICCP", profile) || !add("EXIF", exif) || WebPMuxAssemble(mux.get(), &whole) != WEBP_MUX_OK)
        failOutput("WebP", "the profile or the EXIF data cannot be added");
    const auto *first = reinterpret_cast<const std::byte *>(whole.bytes);
    ByteVector file;
    try {
        file.assign(first, first + whole.size);
    } catch (...) {
        WebPDataClear(&whole);
        throw;
    }
    WebPDataClear(&whole);
    return file;
}

} // namespace

ByteVector encodeWebp(const Image &image, const SaveOptions &options) {
    static_assert(longestWebpSide == WEBP_MAX_DIMENSION);
    requireSides("WebP", image, longestWebpSide);
    WebpPicture picture(image.view());
    picture.encode(configFor(options.quality));
    const ImageMetadata &metadata = image.metadata;
    const bool colour = image.format().colourChannels() == 3;
    const bool withProfile = colour && iccFits(metadata.iccProfile, image.format());
    return withMetadata(picture.data(), withProfile ? metadata.iccProfile : std::vector<std::uint8_t>(), metadata.exif);
}

} // namespace tessera::codecs
