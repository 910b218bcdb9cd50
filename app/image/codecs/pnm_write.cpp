#include "app/image/codecs/pnm_write.h"

#include "app/image/codecs/rows.h"

#include <bit>
#include <cstring>

namespace tessera::codecs {

namespace {

std::string numbers(int width, int height) { return std::to_string(width) + " " + std::to_string(height); }

std::byte *appendHeader(ByteVector &file, const std::string &header, std::size_t rasterBytes) {
    file.resize(header.size() + rasterBytes);
    std::memcpy(file.data(), header.data(), header.size());
    return file.data() + header.size();
}

// Samples of a row, the most significant byte first, each written `copies` times.
std::byte *putRow(std::byte *to, const ConstPixelView &view, int y, int copies) {
    const std::ptrdiff_t samples = std::ptrdiff_t(view.width) * view.format.channels;
    const bool wide = view.format.depth == Depth::U16;
    if (!wide && copies == 1) {
        std::memcpy(to, view.row<std::byte>(y), std::size_t(samples));
        return to + samples;
    }
    for (std::ptrdiff_t i = 0; i < samples; ++i) {
        const unsigned value = wide ? view.row<std::uint16_t>(y)[i] : view.row<std::uint8_t>(y)[i];
        for (int copy = 0; copy < copies; ++copy) {
            if (wide)
                *to++ = std::byte(value >> 8);
            *to++ = std::byte(value & 0xff);
        }
    }
    return to;
}

ByteVector encodeIntegers(const Image &image, const std::string &header, int copies) {
    const ConstPixelView view = image.view();
    const std::size_t rowBytes =
        std::size_t(view.width) * std::size_t(view.format.bytesPerPixel()) * std::size_t(copies);
    ByteVector file;
    std::byte *to = appendHeader(file, header, rowBytes * std::size_t(view.height));
    for (int y = 0; y < view.height; ++y)
        to = putRow(to, view, y, copies);
    return file;
}

std::string maximumOf(Depth depth) { return depth == Depth::U8 ? "255" : "65535"; }

// `format` is pnm, ppm, pgm or pam.
std::string headerOf(std::string_view format, int width, int height, PixelFormat pixels) {
    static constexpr const char *types[] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
    if (format == "pam")
        return "P7\nWIDTH " + std::to_string(width) + "\nHEIGHT " + std::to_string(height) + "\nDEPTH " +
               std::to_string(pixels.channels) + "\nMAXVAL " + maximumOf(pixels.depth) + "\nTUPLTYPE " +
               types[pixels.channels - 1] + "\nENDHDR\n";
    const bool grey = pixels.channels == 1 && format != "ppm";
    return (grey ? "P5\n" : "P6\n") + numbers(width, height) + "\n" + maximumOf(pixels.depth) + "\n";
}

// How often a sample is written: a PPM holds a grey picture as three equal channels.
int copiesIn(std::string_view format, PixelFormat pixels) { return format == "ppm" && pixels.channels == 1 ? 3 : 1; }

ByteVector encodeAs(std::string_view format, const Image &image) {
    return encodeIntegers(image, headerOf(format, image.width(), image.height(), image.format()),
                          copiesIn(format, image.format()));
}

class PnmRowWriter : public RowWriter {
public:
    PnmRowWriter(int handle, const std::string &format, const ImageInfo &picture)
        : handle_(handle), format_(format), copies_(copiesIn(format, picture.format)) {
        const std::string header = headerOf(format, picture.width, picture.height, picture.format);
        writeFully(handle, std::as_bytes(std::span(header)), format_);
    }
    void writeRows(const ConstPixelView &rows) override {
        const std::size_t rowBytes =
            std::size_t(rows.width) * std::size_t(rows.format.bytesPerPixel()) * std::size_t(copies_);
        buffer_.resize(rowBytes);
        for (int y = 0; y < rows.height; ++y) {
            putRow(buffer_.data(), rows, y, copies_);
            writeFully(handle_, buffer_, format_);
        }
    }
    void finish() override {}

private:
    const int handle_;
    const std::string format_;
    const int copies_;
    ByteVector buffer_;
};

} // namespace

ByteVector encodePnm(const Image &image, const SaveOptions &) { return encodeAs("pnm", image); }
ByteVector encodePpm(const Image &image, const SaveOptions &) { return encodeAs("ppm", image); }
ByteVector encodePam(const Image &image, const SaveOptions &) { return encodeAs("pam", image); }

std::unique_ptr<RowWriter> createPnmRows(int handle, const std::string &format, const ImageInfo &picture) {
    return std::make_unique<PnmRowWriter>(handle, format, picture);
}

ByteVector encodePfm(const Image &image, const SaveOptions &) {
    const ConstPixelView view = image.view();
    const std::size_t rowBytes = std::size_t(view.width) * std::size_t(view.format.bytesPerPixel());
    const char *scale = std::endian::native == std::endian::little ? "\n-1.0\n" : "\n1.0\n";
    ByteVector file;
    std::byte *to =
        appendHeader(file, (view.format.channels == 1 ? "Pf\n" : "PF\n") + numbers(view.width, view.height) + scale,
                     rowBytes * std::size_t(view.height));
    for (int y = view.height - 1; y >= 0; --y, to += rowBytes) // PFM starts with the bottom row
        std::memcpy(to, view.row<std::byte>(y), rowBytes);
    return file;
}

} // namespace tessera::codecs
