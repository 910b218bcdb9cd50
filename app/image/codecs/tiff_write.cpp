#include "app/image/codecs/icc.h"
#include "app/image/codecs/tiff_codec.h"
#include "app/image/codecs/tiff_exif.h"
#include "app/image/codecs/tiff_file.h"

#include <algorithm>

namespace tessera::codecs {

namespace {

// Large enough for the compressor, small enough that a reader of a part reads little else.
constexpr std::uint64_t stripBytes = 256 << 10;
constexpr int deflateLevel = 4;

void writeTags(TIFF *tiff, const Image &image, std::uint32_t rowsPerStrip) {
    const PixelFormat format = image.format();
    const bool isFloat = format.depth == Depth::F32;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, std::uint32_t(image.width()));
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, std::uint32_t(image.height()));
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, format.channels);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8 * bytesPerSample(format.depth));
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, isFloat ? SAMPLEFORMAT_IEEEFP : SAMPLEFORMAT_UINT);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, format.colourChannels() == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, rowsPerStrip);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
    TIFFSetField(tiff, TIFFTAG_ZIPQUALITY, deflateLevel);
    if (!isFloat) // few readers know the predictor for floats
        TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL);
    if (format.hasAlpha()) {
        const std::uint16_t kind = EXTRASAMPLE_UNASSALPHA;
        TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind);
    }
    const auto &profile = image.metadata.iccProfile;
    if (iccFits(profile, format))
        TIFFSetField(tiff, TIFFTAG_ICCPROFILE, std::uint32_t(profile.size()), profile.data());
}

void writeStrips(TiffFile &file, const ConstPixelView &view, int rowsPerStrip) {
    const std::size_t rowBytes = std::size_t(view.width) * std::size_t(view.format.bytesPerPixel());
    std::vector<std::byte> strip(rowBytes * std::size_t(rowsPerStrip));
    std::uint32_t number = 0;
    for (int y = 0; y < view.height; y += rowsPerStrip, ++number) {
        const int rows = std::min(rowsPerStrip, view.height - y);
        for (int i = 0; i < rows; ++i) // a copy: rows of an Image are padded, and the predictor works in place
            std::copy_n(view.row<std::byte>(y + i), rowBytes, strip.data() + std::size_t(i) * rowBytes);
        if (TIFFWriteEncodedStrip(file.handle(), number, strip.data(), tmsize_t(rowBytes) * rows) < 0)
            failOutput("TIFF", file.failure());
    }
}

} // namespace

ByteVector encodeTiff(const Image &image, const SaveOptions &) {
    const ConstPixelView view = image.view();
    const std::uint64_t rowBytes = std::uint64_t(view.width) * std::uint64_t(view.format.bytesPerPixel());
    const auto rowsPerStrip = int(std::clamp<std::uint64_t>(stripBytes / rowBytes, 1, std::uint64_t(view.height)));
    constexpr std::uint64_t classicLimit = 3'900'000'000u; // below 4 GiB, with room for what Deflate may add
    const bool big = rowBytes * std::uint64_t(view.height) > classicLimit;
    // The file takes the byte order of the EXIF block, so that its values can be copied as they are.
    const auto &exif = image.metadata.exif;
    const bool reversed = !exif.empty() && exif[0] == 'M';
    ByteVector encoded;
    TiffFile file(encoded, big ? "w8" : reversed ? "wb" : "wl");
    writeTags(file.handle(), image, std::uint32_t(rowsPerStrip));
    writeStrips(file, view, rowsPerStrip);
    file.close();
    addExifToTiff(encoded, exif);
    return encoded;
}

} // namespace tessera::codecs
