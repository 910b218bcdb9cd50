#include "app/image/codecs/icc.h"
#include "app/image/codecs/jpeg_codec.h"
#include "app/image/codecs/jpeg_library.h"

#include <cstdlib>
#include <cstring>
#include <memory>

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

void setUp(jpeg_compress_struct &codec, const Image &image, int quality) {
    const bool grey = image.format().channels == 1;
    codec.image_width = JDIMENSION(image.width());
    codec.image_height = JDIMENSION(image.height());
    codec.input_components = grey ? 1 : 3;
    codec.in_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&codec);
    jpeg_set_quality(&codec, quality, TRUE);
    if (!grey && quality >= 90)
        codec.comp_info[0].h_samp_factor = codec.comp_info[0].v_samp_factor = 1;
}

void writeAll(jpeg_compress_struct &codec, const Image &image, Bytes exif) {
    jpeg_start_compress(&codec, TRUE);
    if (!exif.empty())
        jpeg_write_marker(&codec, JPEG_APP0 + 1, reinterpret_cast<const JOCTET *>(exif.data()), unsigned(exif.size()));
    const auto &profile = image.metadata.iccProfile;
    if (iccFits(profile, image.format()))
        jpeg_write_icc_profile(&codec, profile.data(), unsigned(profile.size()));
    const ConstPixelView view = image.view();
    for (int y = 0; y < view.height; ++y) {
        JSAMPROW rows[] = {const_cast<JSAMPROW>(view.row<JSAMPLE>(y))}; // libjpeg only reads them
        jpeg_write_scanlines(&codec, rows, 1);
    }
    jpeg_finish_compress(&codec);
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

} // namespace

ByteVector encodeJpeg(const Image &image, const SaveOptions &options) {
    constexpr int longestSide = 65500; // JPEG_MAX_DIMENSION
    if (image.width() > longestSide || image.height() > longestSide)
        failOutput("JPEG", "a side of more than 65500 pixels", "choose png or tiff");
    const ByteVector exif = exifSegment(image.metadata.exif);
    Output output;
    JpegErrors errors;
    jpeg_compress_struct codec{};
    codec.err = setUpJpegErrors(errors);
    const bool done = jpegSucceeds(errors, [&] {
        jpeg_create_compress(&codec);
        jpeg_mem_dest(&codec, &output.data, &output.size);
        setUp(codec, image, options.quality);
        writeAll(codec, image, exif);
    });
    jpeg_destroy_compress(&codec);
    if (!done)
        failOutput("JPEG", errors.text);
    const auto *first = reinterpret_cast<const std::byte *>(output.data);
    return {first, first + output.size};
}

} // namespace tessera::codecs
