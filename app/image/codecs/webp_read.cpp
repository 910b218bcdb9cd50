#include "app/image/codecs/byte_reader.h"
#include "app/image/codecs/webp_codec.h"
#include "app/image/exif.h"

#include <memory>
#include <webp/decode.h>
#include <webp/demux.h>

namespace tessera::codecs {

namespace {

const std::uint8_t *bytesOf(const Source &source) {
    return reinterpret_cast<const std::uint8_t *>(source.bytes.data());
}

std::string statusText(VP8StatusCode status) {
    switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY:
        return "no memory";
    case VP8_STATUS_NOT_ENOUGH_DATA:
        return "the data ends too early";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return "an unknown feature";
    default:
        return "its content cannot be decoded";
    }
}

// The outer RIFF block states the file's length.
void requireWhole(const Source &source) {
    const std::uint64_t stated = std::uint64_t(ByteReader(source.bytes, std::endian::little).u32(4).value_or(0)) + 8;
    if (source.bytes.size() < stated)
        failTruncated(source, "a WebP of " + std::to_string(stated) + " bytes of which " +
                                  std::to_string(source.bytes.size()) + " are there");
}

std::vector<std::uint8_t> chunk(const Source &source, const char *name) {
    const WebPData data{bytesOf(source), source.bytes.size()};
    const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> demuxer(WebPDemux(&data), WebPDemuxDelete);
    WebPChunkIterator iterator{};
    std::vector<std::uint8_t> content;
    if (demuxer && WebPDemuxGetChunk(demuxer.get(), name, 1, &iterator))
        content.assign(iterator.chunk.bytes, iterator.chunk.bytes + iterator.chunk.size);
    WebPDemuxReleaseChunkIterator(&iterator);
    return content;
}

// Some writers put JPEG's "Exif\0\0" in front.
std::vector<std::uint8_t> exifOf(const Source &source) {
    std::vector<std::uint8_t> exif = chunk(source, "EXIF");
    if (startsWith(std::as_bytes(std::span(exif)), std::string_view("Exif\0\0", 6)))
        exif.erase(exif.begin(), exif.begin() + 6);
    return exif;
}

} // namespace

std::optional<Header> WebpLoader::readHeader(const Source &source) const {
    if (!startsWith(source.bytes, "RIFF") || !startsWith(source.bytes, "WEBP", 8))
        return std::nullopt;
    requireWhole(source);
    WebPBitstreamFeatures features{};
    const VP8StatusCode status = WebPGetFeatures(bytesOf(source), source.bytes.size(), &features);
    if (status != VP8_STATUS_OK)
        failDamaged(source, "WebP: " + statusText(status));
    if (features.has_animation)
        failInput(source, "it is an animated WebP", "split it into single pictures first");
    const PixelFormat format{Depth::U8, features.has_alpha ? 4 : 3};
    Header header{makeInfo(source, std::uint64_t(features.width), std::uint64_t(features.height), format, "webp"),
                  exifOrientation(exifOf(source))};
    header.workBytes = imageBytes(features.width, features.height, {Depth::U8, 4}); // of a lossless one
    return header;
}

Image WebpLoader::decode(const Source &source, const Header &header) const {
    Image image(header.info.width, header.info.height, header.info.format);
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config))
        failInput(source, "the installed libwebp does not fit this build",
                  "install the version that Tessera was built with");
    config.output.colorspace = header.info.format.channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = image.view().row<std::uint8_t>(0);
    config.output.u.RGBA.stride = int(image.pitch()); // sides of at most 16383 pixels
    config.output.u.RGBA.size = image.bytes();
    const VP8StatusCode status = WebPDecode(bytesOf(source), source.bytes.size(), &config);
    WebPFreeDecBuffer(&config.output);
    if (status != VP8_STATUS_OK)
        failDamaged(source, "WebP: " + statusText(status));
    image.metadata.iccProfile = chunk(source, "ICCP");
    image.metadata.exif = exifOf(source);
    return image;
}

} // namespace tessera::codecs
