#include "app/image/codecs/icc.h"
#include "app/image/codecs/jpeg_codec.h"
#include "app/image/codecs/jpeg_library.h"
#include "app/image/codecs/rows.h"
#include "app/image/format_limits.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>

namespace tessera::codecs {

namespace {

constexpr std::size_t largestSegment = 65533;
constexpr std::string_view exifName("Exif\0\0", 6);

// What libjpeg allocates for the encoded file.
struct Output {
    unsigned char *data = nullptr;
    unsigned long size = 0;
    ~Output() { std::free(data); }
};

void setUp(jpeg_compress_struct &codec, int width, int height, PixelFormat format, int quality) {
    const bool grey = format.channels == 1;
    codec.image_width = JDIMENSION(width);
    codec.image_height = JDIMENSION(height);
    codec.input_components = grey ? 1 : 3;
    codec.in_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&codec);
    jpeg_set_quality(&codec, quality, TRUE);
    if (!grey && quality >= 90)
        codec.comp_info[0].h_samp_factor = codec.comp_info[0].v_samp_factor = 1;
}

void writeHead(jpeg_compress_struct &codec, PixelFormat format, const ImageMetadata &metadata, Bytes exif) {
    jpeg_start_compress(&codec, TRUE);
    if (!exif.empty())
        jpeg_write_marker(&codec, JPEG_APP0 + 1, reinterpret_cast<const JOCTET *>(exif.data()), unsigned(exif.size()));
    const auto &profile = metadata.iccProfile;
    if (iccFits(profile, format))
        jpeg_write_icc_profile(&codec, profile.data(), unsigned(profile.size()));
}

void writeRowsOf(jpeg_compress_struct &codec, const ConstPixelView &view) {
    for (int y = 0; y < view.height; ++y) {
        JSAMPROW rows[] = {const_cast<JSAMPROW>(view.row<JSAMPLE>(y))}; // libjpeg only reads them
        jpeg_write_scanlines(&codec, rows, 1);
    }
}

// A segment holds 64 KiB; a longer block cannot be carried, and the picture is worth more than it.
ByteVector exifSegment(const std::vector<std::uint8_t> &exif) {
    ByteVector segment;
    if (exif.empty() || exif.size() + exifName.size() > largestSegment)
        return segment;
    segment.resize(exifName.size() + exif.size());
    std::memcpy(segment.data(), exifName.data(), exifName.size());
    std::memcpy(segment.data() + exifName.size(), exif.data(), exif.size());
    return segment;
}

// libjpeg's output into a file, through a buffer.
struct FileTarget {
    jpeg_destination_mgr manager; // first, so that a pointer to it is one to the whole
    int handle;
    int error; // errno of a write that failed
    JOCTET buffer[1 << 16];
};

void writeBytes(j_compress_ptr codec, FileTarget &target, std::size_t count) {
    const JOCTET *from = target.buffer;
    while (count > 0) {
        const ssize_t written = ::write(target.handle, from, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            target.error = errno;
            ERREXIT(codec, JERR_FILE_WRITE);
        }
        from += written;
        count -= std::size_t(written);
    }
}

extern "C" {

void startJpegTarget(j_compress_ptr codec) {
    auto *target = reinterpret_cast<FileTarget *>(codec->dest);
    target->manager.next_output_byte = target->buffer;
    target->manager.free_in_buffer = sizeof target->buffer;
}

boolean emptyJpegTarget(j_compress_ptr codec) {
    writeBytes(codec, *reinterpret_cast<FileTarget *>(codec->dest), sizeof(FileTarget::buffer));
    startJpegTarget(codec);
    return TRUE;
}

void endJpegTarget(j_compress_ptr codec) {
    auto *target = reinterpret_cast<FileTarget *>(codec->dest);
    writeBytes(codec, *target, sizeof target->buffer - target->manager.free_in_buffer);
}

} // extern "C"

class JpegRowWriter : public RowWriter {
public:
    JpegRowWriter(int handle, int quality, const ImageInfo &picture, const ImageMetadata &metadata)
        : exif_(exifSegment(metadata.exif)) {
        target_.handle = handle;
        target_.error = 0;
        target_.manager = {nullptr, 0, startJpegTarget, emptyJpegTarget, endJpegTarget};
        codec_.err = setUpJpegErrors(errors_);
        run([&] {
            jpeg_create_compress(&codec_);
            codec_.dest = &target_.manager;
            setUp(codec_, picture.width, picture.height, picture.format, quality);
            writeHead(codec_, picture.format, metadata, exif_);
        });
    }
    ~JpegRowWriter() override { jpeg_destroy_compress(&codec_); }
    JpegRowWriter(const JpegRowWriter &) = delete;
    JpegRowWriter &operator=(const JpegRowWriter &) = delete;

    void writeRows(const ConstPixelView &rows) override {
        run([&] { writeRowsOf(codec_, rows); });
    }
    void finish() override {
        run([this] { jpeg_finish_compress(&codec_); });
    }

private:
    template <class Step> void run(const Step &step) {
        if (jpegSucceeds(errors_, step))
            return;
        if (target_.error != 0)
            failWriting("JPEG", target_.error);
        failOutput("JPEG", errors_.text);
    }

    const ByteVector exif_;
    FileTarget target_;
    JpegErrors errors_;
    jpeg_compress_struct codec_{};
};

} // namespace

ByteVector encodeJpeg(const Image &image, const SaveOptions &options) {
    static_assert(longestJpegSide == JPEG_MAX_DIMENSION);
    requireSides("JPEG", image, longestJpegSide);
    const ByteVector exif = exifSegment(image.metadata.exif);
    Output output;
    JpegErrors errors;
    jpeg_compress_struct codec{};
    codec.err = setUpJpegErrors(errors);
    const bool done = jpegSucceeds(errors, [&] {
        jpeg_create_compress(&codec);
        jpeg_mem_dest(&codec, &output.data, &output.size);
        setUp(codec, image.width(), image.height(), image.format(), options.quality);
        writeHead(codec, image.format(), image.metadata, exif);
        writeRowsOf(codec, image.view());
        jpeg_finish_compress(&codec);
    });
    jpeg_destroy_compress(&codec);
    if (!done)
        failOutput("JPEG", errors.text);
    const auto *first = reinterpret_cast<const std::byte *>(output.data);
    return {first, first + output.size};
}

std::unique_ptr<RowWriter> createJpegRows(int handle, int quality, const ImageInfo &picture,
                                          const ImageMetadata &metadata) {
    return std::make_unique<JpegRowWriter>(handle, quality, picture, metadata);
}

} // namespace tessera::codecs
