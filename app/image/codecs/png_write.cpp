#include "app/image/codecs/icc.h"
#include "app/image/codecs/png_library.h"
#include "app/image/codecs/png_read.h"

#include <bit>
#include <new>

namespace tessera::codecs {

namespace {

// libpng's own default (zlib 6, all filters tried) takes several times as long for files a few per cent smaller.
constexpr int compressionLevel = 4;

extern "C" void writePngBytes(png_structp png, png_bytep data, std::size_t count) {
    auto *file = static_cast<ByteVector *>(png_get_io_ptr(png));
    const auto *first = reinterpret_cast<const std::byte *>(data);
    bool stored = true;
    try {
        file->insert(file->end(), first, first + count);
    } catch (const std::bad_alloc &) {
        stored = false;
    }
    if (!stored)
        png_error(png, "no memory for the encoded file");
}

extern "C" void flushPngBytes(png_structp) {}

int colourTypeOf(PixelFormat format) {
    constexpr int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                             PNG_COLOR_TYPE_RGB_ALPHA};
    return types[format.channels - 1];
}

// Everything that libpng is told; owns nothing, so that a jump may leave it.
void writeAll(png_structp png, png_infop info, const Image &image, png_bytepp rows, bool withProfile) {
    const ImageMetadata &metadata = image.metadata;
    const int bits = image.format().depth == Depth::U16 ? 16 : 8;
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
    png_set_IHDR(png, info, png_uint_32(image.width()), png_uint_32(image.height()), bits, colourTypeOf(image.format()),
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, compressionLevel);
    png_set_compression_buffer_size(png, 1 << 16);
    png_set_benign_errors(png, 1); // a profile that libpng finds wrong is left out, not the picture
    if (withProfile)
        png_set_iCCP(png, info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, metadata.iccProfile.data(),
                     png_uint_32(metadata.iccProfile.size()));
    if (!metadata.exif.empty())
        png_set_eXIf_1(png, info, png_uint_32(metadata.exif.size()), const_cast<png_bytep>(metadata.exif.data()));
    png_write_info(png, info);
    if (bits == 16 && std::endian::native == std::endian::little)
        png_set_swap(png);
    png_write_image(png, rows);
    png_write_end(png, nullptr);
}

} // namespace

ByteVector encodePng(const Image &image, const SaveOptions &) {
    const ConstPixelView view = image.view();
    std::vector<png_bytep> rows(std::size_t(view.height));
    for (int y = 0; y < view.height; ++y)
        rows[std::size_t(y)] = const_cast<png_bytep>(view.row<png_byte>(y)); // libpng only reads them
    ByteVector file;
    PngMessage message;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &message, tesseraPngError, tesseraPngWarning);
    png_infop info = png ? png_create_info_struct(png) : nullptr;
    if (!info) {
        png_destroy_write_struct(&png, nullptr);
        throw std::bad_alloc();
    }
    png_set_write_fn(png, &file, writePngBytes, flushPngBytes);
    const bool withProfile = iccFits(image.metadata.iccProfile, image.format());
    const bool done = pngSucceeds(png, [&] { writeAll(png, info, image, rows.data(), withProfile); });
    png_destroy_write_struct(&png, &info);
    if (!done)
        failOutput("PNG", message.text);
    return file;
}

} // namespace tessera::codecs
