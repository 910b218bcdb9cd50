// Writers of BMP, TGA and Radiance HDR.
#include "app/image/codecs/byte_reader.h"
#include "app/image/codecs/simple_codecs.h"
#include "app/image/format_limits.h"

#include <array>
#include <cmath>
#include <limits>

namespace tessera::codecs {

namespace {

void putReversedColours(ByteWriter &writer, const std::uint8_t *pixel, int channels) {
    if (channels < 3) {
        writer.raw(pixel, std::size_t(channels));
        return;
    }
    const std::uint8_t stored[] = {pixel[2], pixel[1], pixel[0], channels == 4 ? pixel[3] : std::uint8_t(0)};
    writer.raw(stored, std::size_t(channels));
}

void putRow(ByteWriter &writer, const ConstPixelView &view, int y) {
    const int channels = view.format.channels;
    const auto *pixel = view.row<std::uint8_t>(y);
    for (int x = 0; x < view.width; ++x, pixel += channels)
        putReversedColours(writer, pixel, channels);
}

void putBmpHeader(ByteWriter &writer, const ConstPixelView &view, std::uint32_t pixelBytes) {
    const bool grey = view.format.channels == 1;
    const std::uint32_t offset = 14 + 40 + (grey ? 1024u : 0u);
    writer.text("BM");
    writer.u32(offset + pixelBytes);
    writer.u32(0);
    writer.u32(offset);
    writer.u32(40);
    writer.u32(std::uint32_t(view.width));
    writer.u32(std::uint32_t(view.height));
    writer.u16(1); // planes
    writer.u16(grey ? 8 : 24);
    writer.u32(0); // not compressed
    writer.u32(pixelBytes);
    writer.u32(2835); // pixels a metre: 72 dpi
    writer.u32(2835);
    writer.u32(grey ? 256 : 0);
    writer.u32(0);
    for (std::uint32_t level = 0; grey && level < 256; ++level)
        writer.u32(level * 0x010101u);
}

// ---- Radiance ----

using Rgbe = std::array<std::uint8_t, 4>;

// The common exponent is the largest value's; mantissas are rounded, since readers take them as they are.
Rgbe toRgbe(const float *colour, int step) {
    const float values[] = {colour[0], colour[step], colour[2 * step]};
    float largest = 0;
    for (const float value : values) {
        if (!(value >= 0) || value > std::numeric_limits<float>::max())
            failOutput("HDR", "it holds no negative or non-finite values, and this picture has some",
                       "choose tiff, exr or pfm");
        largest = std::max(largest, value);
    }
    if (largest >= largestRgbe)
        failOutput("HDR", std::string("this picture has ") + valuesBeyondRgbe, "choose tiff, exr or pfm");
    int exponent = 0;
    if (std::lround(std::frexp(largest, &exponent) * 256) == 256)
        ++exponent;
    if (exponent < -127)
        return {};
    Rgbe pixel;
    for (std::size_t c = 0; c < 3; ++c)
        pixel[c] = static_cast<std::uint8_t>(std::lround(std::ldexp(values[c], 8 - exponent)));
    pixel[3] = static_cast<std::uint8_t>(exponent + 128);
    return pixel;
}

// One channel of a row: runs of 4 to 127 equal values, and what lies between them in literals of up to 128.
void putChannel(ByteWriter &writer, const std::vector<Rgbe> &row, std::size_t channel) {
    const std::size_t width = row.size();
    const auto runAt = [&](std::size_t x) {
        std::size_t end = x + 1;
        while (end < width && end - x < 127 && row[end][channel] == row[x][channel])
            ++end;
        return end - x;
    };
    for (std::size_t x = 0; x < width;) {
        const std::size_t run = runAt(x);
        if (run >= 4) {
            writer.u8(static_cast<std::uint8_t>(128 + run));
            writer.u8(row[x][channel]);
            x += run;
            continue;
        }
        std::size_t end = x;
        while (end < width && end - x < 128 && runAt(end) < 4)
            ++end;
        writer.u8(static_cast<std::uint8_t>(end - x));
        for (; x < end; ++x)
            writer.u8(row[x][channel]);
    }
}

} // namespace

ByteVector encodeBmp(const Image &image, const SaveOptions &) {
    const ConstPixelView view = image.view();
    const std::uint64_t rowBytes = bmpRowBytes(view.width, view.format.channels);
    if (rowBytes * std::uint64_t(view.height) > largestBmp)
        failOutput("BMP", "the picture takes more than its 4 GiB", "choose png or tiff");
    const auto pixelBytes = static_cast<std::uint32_t>(rowBytes * std::uint64_t(view.height));
    ByteVector file;
    file.reserve(pixelBytes + 2048);
    ByteWriter writer(file, std::endian::little);
    putBmpHeader(writer, view, pixelBytes);
    for (int y = view.height - 1; y >= 0; --y) {
        putRow(writer, view, y);
        for (std::uint64_t i = std::uint64_t(view.width) * std::uint64_t(view.format.channels); i < rowBytes; ++i)
            writer.u8(0);
    }
    return file;
}

ByteVector encodeTga(const Image &image, const SaveOptions &) {
    const ConstPixelView view = image.view();
    requireSides("TGA", image, longestTgaSide);
    const int channels = view.format.channels;
    ByteVector file;
    file.reserve(std::size_t(view.width) * std::size_t(view.height) * std::size_t(channels) + 64);
    ByteWriter writer(file, std::endian::little);
    const std::uint8_t start[12] = {0, 0, std::uint8_t(channels < 3 ? 3 : 2)};
    writer.raw(start, sizeof(start));
    writer.u16(std::uint16_t(view.width));
    writer.u16(std::uint16_t(view.height));
    writer.u8(std::uint8_t(8 * channels));
    writer.u8(std::uint8_t(0x20 | (view.format.hasAlpha() ? 8 : 0))); // rows from the top; bits of alpha
    for (int y = 0; y < view.height; ++y)
        putRow(writer, view, y);
    writer.u32(0); // no extension area, no developer directory
    writer.u32(0);
    writer.text(std::string_view("TRUEVISION-XFILE.\0", 18));
    return file;
}

ByteVector encodeHdr(const Image &image, const SaveOptions &) {
    const ConstPixelView view = image.view();
    const int channels = view.format.channels;
    ByteVector file;
    ByteWriter writer(file, std::endian::big);
    writer.text("#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y " + std::to_string(view.height) + " +X " +
                std::to_string(view.width) + "\n");
    std::vector<Rgbe> row(std::size_t(view.width));
    for (int y = 0; y < view.height; ++y) {
        for (std::size_t x = 0; x < row.size(); ++x)
            row[x] = toRgbe(view.row<float>(y) + x * std::size_t(channels), channels == 1 ? 0 : 1);
        if (view.width < 8 || view.width >= 32768) {
            writer.raw(row.data(), row.size() * 4);
            continue;
        }
        writer.u16(0x0202);
        writer.u16(std::uint16_t(view.width));
        for (std::size_t channel = 0; channel < 4; ++channel)
            putChannel(writer, row, channel);
    }
    return file;
}

} // namespace tessera::codecs
