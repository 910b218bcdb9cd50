#include "app/image/codecs/stb_codec.h"

#include "app/image/codecs/jpeg_segments.h"
#include "app/image/codecs/png_chunks.h"
#include "app/image/codecs/stb_library.h"
#include "app/image/format_limits.h"

#include <climits>

#include <cstring>
#include <memory>

namespace tessera::codecs {

namespace {

// stb counts bytes in int.
void requireSmall(const Source &source, const ImageInfo &info) {
    const std::uint64_t size = std::uint64_t(info.width) * std::uint64_t(info.height) * 8;
    if (source.bytes.size() > INT_MAX || size > INT_MAX)
        throw Error(ErrorKind::Limit, std::string(source.name) + ": the picture is too large for stb_image",
                    "build Tessera with libpng and libjpeg-turbo");
}

Image stbDecode(const Source &source, const Header &header) {
    const ImageInfo &info = header.info;
    requireSmall(source, info);
    // Besides the picture stb needs the inflated or the coefficient data, hardly more than the picture itself.
    stbSetBudget(std::size_t(info.width) * std::size_t(info.height) * 8 * 4 + (std::size_t(16) << 20));
    int width = 0, height = 0, channels = 0;
    const auto *data = reinterpret_cast<const unsigned char *>(source.bytes.data());
    const int size = int(source.bytes.size());
    const bool wide = info.format.depth == Depth::U16;
    const std::unique_ptr<void, decltype(&stbFree)> pixels(
        wide ? static_cast<void *>(stbLoad16(data, size, &width, &height, &channels, info.format.channels))
             : static_cast<void *>(stbLoad8(data, size, &width, &height, &channels, info.format.channels)),
        stbFree);
    if (!pixels)
        failDamaged(source, stbFailure());
    if (width != info.width || height != info.height || channels != info.format.channels)
        failDamaged(source, "its header and its content disagree");
    Image image(width, height, info.format);
    const std::size_t rowBytes = std::size_t(width) * std::size_t(info.format.bytesPerPixel());
    for (int y = 0; y < height; ++y)
        std::memcpy(image.view().row<std::byte>(y),
                    static_cast<const std::byte *>(pixels.get()) + rowBytes * std::size_t(y), rowBytes);
    return image;
}

// The profile is compressed behind a name, a zero and the method's number.
std::vector<std::uint8_t> inflateProfile(Bytes chunk) {
    std::size_t start = 0;
    while (start < chunk.size() && chunk[start] != std::byte(0))
        ++start;
    if (start + 2 >= chunk.size())
        return {};
    return stbInflate(chunk.subspan(start + 2));
}

void appendBytes(void *context, void *data, int size) {
    const auto *first = static_cast<const std::byte *>(data);
    auto &file = *static_cast<ByteVector *>(context);
    file.insert(file.end(), first, first + size);
}

// stb wants rows without padding and counts in int.
std::vector<std::uint8_t> packed(const ConstPixelView &view, std::string_view format) {
    const std::size_t rowBytes = std::size_t(view.width) * std::size_t(view.format.channels);
    if ((rowBytes + 1) * std::size_t(view.height) > INT_MAX)
        failOutput(format, "the picture is too large for stb_image_write",
                   "build Tessera with libpng and libjpeg-turbo");
    std::vector<std::uint8_t> pixels;
    pixels.reserve(rowBytes * std::size_t(view.height));
    for (int y = 0; y < view.height; ++y)
        pixels.insert(pixels.end(), view.row<std::uint8_t>(y), view.row<std::uint8_t>(y) + rowBytes);
    return pixels;
}

} // namespace

std::optional<Header> StbPngLoader::readHeader(const Source &source) const {
    const auto chunks = readPngChunks(source, false);
    if (!chunks)
        return std::nullopt;
    return pngHeader(source, *chunks);
}

Image StbPngLoader::decode(const Source &source, const Header &header) const {
    const PngChunks chunks = *readPngChunks(source, true); // stb itself looks at no check sum
    Image image = stbDecode(source, header);
    image.metadata.exif = chunks.exif;
    image.metadata.iccProfile = inflateProfile(chunks.profile);
    return image;
}

std::optional<Header> StbJpegLoader::readHeader(const Source &source) const {
    const auto segments = readJpegSegments(source, false);
    if (!segments)
        return std::nullopt;
    return jpegHeader(source, *segments);
}

Image StbJpegLoader::decode(const Source &source, const Header &header) const {
    JpegSegments segments = *readJpegSegments(source, true);
    if (!segments.complete) // stb would go on with grey
        failTruncated(source, "a JPEG without its end");
    if (segments.scans > mostJpegScans)
        failDamaged(source, "the JPEG asks for " + std::to_string(segments.scans) + " passes over its pixels");
    Image image = stbDecode(source, header);
    if (segments.components != 4) // the profile of a CMYK picture describes its inks
        image.metadata.iccProfile = std::move(segments.iccProfile);
    image.metadata.exif = std::move(segments.exif);
    return image;
}

ByteVector stbEncodePng(const Image &image, const SaveOptions &) {
    const ConstPixelView view = image.view();
    const std::vector<std::uint8_t> pixels = packed(view, "PNG");
    ByteVector file;
    if (!stbWritePng(appendBytes, &file, view.width, view.height, view.format.channels, pixels.data()))
        failOutput("PNG", "stb_image_write gave up");
    return file;
}

ByteVector stbEncodeJpeg(const Image &image, const SaveOptions &options) {
    const ConstPixelView view = image.view();
    requireSides("JPEG", image, longestJpegSide);
    const std::vector<std::uint8_t> pixels = packed(view, "JPEG");
    ByteVector file;
    if (!stbWriteJpeg(appendBytes, &file, view.width, view.height, view.format.channels, pixels.data(),
                      options.quality))
        failOutput("JPEG", "stb_image_write gave up");
    return file;
}

} // namespace tessera::codecs
