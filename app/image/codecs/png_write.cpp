#include "app/image/codecs/icc.h"
#include "app/image/codecs/png_chunks.h"
#include "app/image/codecs/png_filter.h"
#include "app/image/codecs/png_library.h"
#include "app/image/codecs/png_read.h"
#include "app/image/codecs/rows.h"
#include "app/image/image_memory.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <memory>
#include <new>
#include <unistd.h>
#ifdef TESSERA_WITH_DEFLATE
#include <libdeflate.h>
#endif

namespace tessera::codecs {

namespace {

// libpng's own default (zlib 6, all filters tried) takes several times as long for files a few per cent smaller.
constexpr int compressionLevel = 4;

#ifdef TESSERA_WITH_DEFLATE
// libdeflate's levels, chosen to give the size of zlib's level 4 or less: tests/bench/batch-notes.md has the table.
// What noise there is in 16 bits, nothing but the shortest of searches finds a match in.
constexpr int fastLevel(Depth depth) { return depth == Depth::U16 ? 1 : 3; }
#endif

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

// What stands before the pixels. Owns nothing, so that a jump may leave it.
void writeHeader(png_structp png, png_infop info, int width, int height, PixelFormat format,
                 const ImageMetadata &metadata, bool withProfile) {
    const int bits = format.depth == Depth::U16 ? 16 : 8;
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
    png_set_IHDR(png, info, png_uint_32(width), png_uint_32(height), bits, colourTypeOf(format), PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, compressionLevel);
    png_set_compression_buffer_size(png, 1 << 16);
    png_set_benign_errors(png, 1); // a profile that libpng finds wrong is left out, not the picture
    if (withProfile)
        png_set_iCCP(png, info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, metadata.iccProfile.data(),
                     png_uint_32(metadata.iccProfile.size()));
    if (!metadata.exif.empty())
        png_set_eXIf_1(png, info, png_uint_32(metadata.exif.size()), const_cast<png_bytep>(metadata.exif.data()));
    png_write_info(png, info);
}

#ifdef TESSERA_WITH_DEFLATE
void appendChunk(ByteVector &file, std::string_view type, Bytes content) {
    const auto bigEndian = [&](std::uint32_t value) {
        for (int shift = 24; shift >= 0; shift -= 8)
            file.push_back(static_cast<std::byte>(value >> shift));
    };
    bigEndian(std::uint32_t(content.size()));
    const std::size_t begin = file.size();
    const auto *name = reinterpret_cast<const std::byte *>(type.data());
    file.insert(file.end(), name, name + type.size());
    file.insert(file.end(), content.begin(), content.end());
    bigEndian(pngCheckSum(Bytes(file).subspan(begin)));
}

void writePixels(ByteVector &file, const ConstPixelView &view) {
    const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> deflater(
        libdeflate_alloc_compressor(fastLevel(view.format.depth)), &libdeflate_free_compressor);
    if (!deflater)
        throw std::bad_alloc();
    const ScratchMemory filtered(filteredPngBytes(view));
    filterForPng(view, filtered.bytes().data());
    const std::size_t size = filtered.bytes().size();
    const ScratchMemory compressed(libdeflate_zlib_compress_bound(deflater.get(), size));
    Bytes rest = compressed.bytes().first(libdeflate_zlib_compress(
        deflater.get(), filtered.bytes().data(), size, compressed.bytes().data(), compressed.bytes().size()));
    constexpr std::size_t largestChunk = std::size_t(1) << 30;
    file.reserve(file.size() + rest.size() + 12 * (rest.size() / largestChunk + 2));
    while (!rest.empty()) {
        const Bytes part = rest.first(std::min(rest.size(), largestChunk));
        appendChunk(file, "IDAT", part);
        rest = rest.subspan(part.size());
    }
    appendChunk(file, "IEND", {});
}
#endif

void startRows(png_structp png, Depth depth) {
    if (depth == Depth::U16 && std::endian::native == std::endian::little)
        png_set_swap(png);
}

struct PngTarget {
    int handle = -1;
    int error = 0; // errno of a write that failed
};

extern "C" void writePngToFile(png_structp png, png_bytep data, std::size_t count) {
    auto *target = static_cast<PngTarget *>(png_get_io_ptr(png));
    while (count > 0) {
        const ssize_t written = ::write(target->handle, data, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            target->error = errno;
            png_error(png, "the file cannot be written");
        }
        data += written;
        count -= std::size_t(written);
    }
}

// A row after the other into a file: zlib compresses, as libdeflate wants everything at once.
class PngRowWriter : public RowWriter {
public:
    PngRowWriter(int handle, const ImageInfo &picture, const ImageMetadata &metadata)
        : target_{handle, 0},
          png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, &message_, tesseraPngError, tesseraPngWarning)) {
        info_ = png_ ? png_create_info_struct(png_) : nullptr;
        if (!info_)
            throw std::bad_alloc();
        png_set_write_fn(png_, &target_, writePngToFile, flushPngBytes);
        const bool withProfile = iccFits(metadata.iccProfile, picture.format);
        run([&] {
            writeHeader(png_, info_, picture.width, picture.height, picture.format, metadata, withProfile);
            startRows(png_, picture.format.depth);
        });
    }
    ~PngRowWriter() override { png_destroy_write_struct(&png_, &info_); }
    PngRowWriter(const PngRowWriter &) = delete;
    PngRowWriter &operator=(const PngRowWriter &) = delete;

    void writeRows(const ConstPixelView &rows) override {
        run([&] {
            for (int y = 0; y < rows.height; ++y)
                png_write_row(png_, rows.row<png_byte>(y));
        });
    }
    void finish() override {
        run([this] { png_write_end(png_, nullptr); });
    }

private:
    template <class Step> void run(const Step &step) {
        if (pngSucceeds(png_, step))
            return;
        if (target_.error != 0)
            failWriting("PNG", target_.error);
        failOutput("PNG", message_.text);
    }

    PngTarget target_;
    PngMessage message_;
    png_structp png_;
    png_infop info_ = nullptr;
};

} // namespace

ByteVector encodePng(const Image &image, const SaveOptions &) {
    const ConstPixelView view = image.view();
#ifndef TESSERA_WITH_DEFLATE
    std::vector<png_bytep> rows(std::size_t(view.height));
    for (int y = 0; y < view.height; ++y)
        rows[std::size_t(y)] = const_cast<png_bytep>(view.row<png_byte>(y)); // libpng only reads them
#endif
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
    const bool done = pngSucceeds(png, [&] {
        writeHeader(png, info, view.width, view.height, view.format, image.metadata, withProfile);
#ifndef TESSERA_WITH_DEFLATE
        startRows(png, view.format.depth);
        png_write_image(png, rows.data());
        png_write_end(png, nullptr);
#endif
    });
    png_destroy_write_struct(&png, &info);
    if (!done)
        failOutput("PNG", message.text);
#ifdef TESSERA_WITH_DEFLATE
    writePixels(file, view);
#endif
    return file;
}

std::unique_ptr<RowWriter> createPngRows(int handle, const ImageInfo &picture, const ImageMetadata &metadata) {
    return std::make_unique<PngRowWriter>(handle, picture, metadata);
}

} // namespace tessera::codecs
