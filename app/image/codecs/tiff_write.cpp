#include "app/image/codecs/icc.h"
#include "app/image/codecs/rows.h"
#include "app/image/codecs/tiff_codec.h"
#include "app/image/codecs/tiff_exif.h"
#include "app/image/codecs/tiff_file.h"

#include <algorithm>
#include <unistd.h>

namespace tessera::codecs {

namespace {

// Large enough for the compressor, small enough that a reader of a part reads little else.
constexpr std::uint64_t stripBytes = 256 << 10;
constexpr int deflateLevel = 4;

void writeTags(TIFF *tiff, int width, int height, PixelFormat format, const ImageMetadata &metadata,
               std::uint32_t rowsPerStrip) {
    const bool isFloat = format.depth == Depth::F32;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, std::uint32_t(width));
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, std::uint32_t(height));
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
    const auto &profile = metadata.iccProfile;
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

std::uint64_t rowBytesOf(int width, PixelFormat format) {
    return std::uint64_t(width) * std::uint64_t(format.bytesPerPixel());
}

int rowsPerStripOf(int width, int height, PixelFormat format) {
    return int(std::clamp<std::uint64_t>(stripBytes / rowBytesOf(width, format), 1, std::uint64_t(height)));
}

bool needsBigTiff(int width, int height, PixelFormat format) {
    constexpr std::uint64_t classicLimit = 3'900'000'000u; // below 4 GiB, with room for what Deflate may add
    return rowBytesOf(width, format) * std::uint64_t(height) > classicLimit;
}

// The file takes the byte order of the EXIF block, so that its values can be copied as they are.
const char *modeFor(int width, int height, PixelFormat format, const std::vector<std::uint8_t> &exif) {
    const bool reversed = !exif.empty() && exif[0] == 'M';
    return needsBigTiff(width, height, format) ? "w8" : reversed ? "wb" : "wl";
}

class TiffRowWriter : public RowWriter {
public:
    TiffRowWriter(int handle, const ImageInfo &picture, const ImageMetadata &metadata)
        : height_(picture.height), rowsPerStrip_(rowsPerStripOf(picture.width, picture.height, picture.format)),
          rowBytes_(std::size_t(rowBytesOf(picture.width, picture.format))),
          strip_(rowBytes_ * std::size_t(rowsPerStrip_)), exif_(metadata.exif), handle_(handle),
          file_(handle, modeFor(picture.width, picture.height, picture.format, exif_)) {
        writeTags(file_.handle(), picture.width, picture.height, picture.format, metadata,
                  std::uint32_t(rowsPerStrip_));
    }
    void writeRows(const ConstPixelView &rows) override {
        for (int y = 0; y < rows.height; ++y) {
            std::copy_n(rows.row<std::byte>(y), rowBytes_, strip_.data() + std::size_t(held_) * rowBytes_);
            ++written_;
            if (++held_ == rowsPerStrip_ || written_ == height_)
                writeStrip();
        }
    }
    void finish() override {
        file_.close();
        if (!exif_.empty())
            addExif();
    }

private:
    void writeStrip() {
        if (TIFFWriteEncodedStrip(file_.handle(), number_++, strip_.data(), tmsize_t(rowBytes_) * held_) < 0)
            file_.failWriting();
        held_ = 0;
    }

    void addExif() {
        const auto readAt = [this](std::uint64_t offset, std::byte *target, std::size_t count) {
            return ::pread(handle_, target, count, off_t(offset)) == ssize_t(count);
        };
        const off_t size = ::lseek(handle_, 0, SEEK_END);
        const ExifAddition addition = exifForTiff(readAt, std::uint64_t(std::max<off_t>(size, 0)), exif_);
        writeFully(handle_, addition.tail, "TIFF");
        if (::lseek(handle_, firstDirectoryOffset, SEEK_SET) < 0)
            failOutput("TIFF", "the file cannot be written");
        writeFully(handle_, addition.firstDirectory, "TIFF");
    }

    const int height_, rowsPerStrip_;
    const std::size_t rowBytes_;
    std::vector<std::byte> strip_;
    const std::vector<std::uint8_t> &exif_;
    const int handle_;
    int held_ = 0, written_ = 0;
    std::uint32_t number_ = 0;
    TiffFile file_;
};

} // namespace

std::unique_ptr<RowWriter> createTiffRows(int handle, const ImageInfo &picture, const ImageMetadata &metadata) {
    return std::make_unique<TiffRowWriter>(handle, picture, metadata);
}

ByteVector encodeTiff(const Image &image, const SaveOptions &) {
    const ConstPixelView view = image.view();
    const int rowsPerStrip = rowsPerStripOf(view.width, view.height, view.format);
    const auto &exif = image.metadata.exif;
    ByteVector encoded;
    TiffFile file(encoded, modeFor(view.width, view.height, view.format, exif));
    writeTags(file.handle(), view.width, view.height, view.format, image.metadata, std::uint32_t(rowsPerStrip));
    writeStrips(file, view, rowsPerStrip);
    file.close();
    addExifToTiff(encoded, exif);
    return encoded;
}

} // namespace tessera::codecs
