#include "app/image/codecs/pnm_write.h"

#include <bit>
#include <cstring>

namespace tessera::codecs {

namespace {

std::string numbers(const ConstPixelView &view) {
    return std::to_string(view.width) + " " + std::to_string(view.height);
}

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

std::string maximumOf(const Image &image) { return image.format().depth == Depth::U8 ? "255" : "65535"; }

} // namespace

ByteVector encodePnm(const Image &image, const SaveOptions &) {
    const char *magic = image.format().channels == 1 ? "P5\n" : "P6\n";
    return encodeIntegers(image, magic + numbers(image.view()) + "\n" + maximumOf(image) + "\n", 1);
}

ByteVector encodePpm(const Image &image, const SaveOptions &) {
    const int copies = image.format().channels == 1 ? 3 : 1;
    return encodeIntegers(image, "P6\n" + numbers(image.view()) + "\n" + maximumOf(image) + "\n", copies);
}

ByteVector encodePam(const Image &image, const SaveOptions &) {
    static constexpr const char *types[] = {"GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};
    const int channels = image.format().channels;
    const std::string header = "P7\nWIDTH " + std::to_string(image.width()) + "\nHEIGHT " +
                               std::to_string(image.height()) + "\nDEPTH " + std::to_string(channels) + "\nMAXVAL " +
                               maximumOf(image) + "\nTUPLTYPE " + types[channels - 1] + "\nENDHDR\n";
    return encodeIntegers(image, header, 1);
}

ByteVector encodePfm(const Image &image, const SaveOptions &) {
    const ConstPixelView view = image.view();
    const std::size_t rowBytes = std::size_t(view.width) * std::size_t(view.format.bytesPerPixel());
    const char *scale = std::endian::native == std::endian::little ? "\n-1.0\n" : "\n1.0\n";
    ByteVector file;
    std::byte *to = appendHeader(file, (view.format.channels == 1 ? "Pf\n" : "PF\n") + numbers(view) + scale,
                                 rowBytes * std::size_t(view.height));
    for (int y = view.height - 1; y >= 0; --y, to += rowBytes) // PFM starts with the bottom row
        std::memcpy(to, view.row<std::byte>(y), rowBytes);
    return file;
}

} // namespace tessera::codecs
