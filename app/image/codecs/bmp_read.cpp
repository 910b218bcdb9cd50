#include "app/image/codecs/bmp_header.h"
#include "app/image/codecs/byte_reader.h"
#include "app/image/codecs/simple_codecs.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tessera::codecs {

namespace {

using std::to_integer;

// ---- palettes ----

void putIndex(const Source &source, const BmpHeader &header, unsigned index, std::uint8_t *pixel, int channels) {
    if (index >= header.palette.size())
        failDamaged(source, "a pixel of the BMP has a colour outside the palette");
    std::copy_n(header.palette[index].begin(), channels, pixel);
}

void readIndexRow(const Source &source, const BmpHeader &header, const std::byte *from, std::uint8_t *row,
                  int channels) {
    const int bits = header.bitsPerPixel;
    for (int x = 0; x < header.info.width; ++x) {
        const std::size_t place = std::size_t(x) * std::size_t(bits);
        const unsigned shift = 8u - unsigned(bits) - place % 8;
        const unsigned index = (to_integer<unsigned>(from[place / 8]) >> shift) & ((1u << bits) - 1);
        putIndex(source, header, index, row + std::ptrdiff_t(x) * channels, channels);
    }
}

// ---- bit fields ----

struct Field {
    std::uint32_t mask;
    int shift;
    std::uint32_t largest; // 2^bits - 1

    explicit Field(std::uint32_t m) : mask(m), shift(m ? std::countr_zero(m) : 0), largest(m >> shift) {}
    std::uint8_t operator()(std::uint32_t pixel) const { // stretched to 0..255
        return static_cast<std::uint8_t>((((pixel & mask) >> shift) * 255 + largest / 2) / largest);
    }
};

void readFieldRow(const BmpHeader &header, const std::byte *from, std::uint8_t *row, int channels) {
    const Field fields[] = {Field(header.masks[0]), Field(header.masks[1]), Field(header.masks[2]),
                            Field(header.masks[3])};
    const int bytes = header.bitsPerPixel / 8;
    for (int x = 0; x < header.info.width; ++x, from += bytes, row += channels) {
        std::uint32_t pixel = 0;
        for (int i = 0; i < bytes; ++i)
            pixel |= to_integer<std::uint32_t>(from[i]) << (8 * i);
        for (int c = 0; c < channels; ++c)
            row[c] = fields[c](pixel);
    }
}

void readBgrRow(const std::byte *from, std::uint8_t *row, int width) {
    for (int x = 0; x < width; ++x, from += 3, row += 3) {
        row[0] = to_integer<std::uint8_t>(from[2]);
        row[1] = to_integer<std::uint8_t>(from[1]);
        row[2] = to_integer<std::uint8_t>(from[0]);
    }
}

// The file starts with the bottom row unless it says otherwise.
int targetRow(const BmpHeader &header, int y) { return header.topDown ? y : header.info.height - 1 - y; }

void readPlain(const Source &source, const BmpHeader &header, const PixelView &view) {
    const std::size_t stride = header.rowBytes();
    const std::byte *from = source.bytes.data() + header.pixelOffset;
    for (int y = 0; y < view.height; ++y, from += stride) {
        auto *row = view.row<std::uint8_t>(targetRow(header, y));
        if (header.bitsPerPixel <= 8)
            readIndexRow(source, header, from, row, view.format.channels);
        else if (header.bitsPerPixel == 24)
            readBgrRow(from, row, view.width);
        else
            readFieldRow(header, from, row, view.format.channels);
    }
}

// ---- run lengths ----

class RunLengthReader {
public:
    RunLengthReader(const Source &source, const BmpHeader &header, const PixelView &view)
        : source_(source), header_(header), view_(view), offset_(header.pixelOffset) {
        for (int y = 0; y < view.height; ++y) // pixels that the code jumps over have colour 0
            for (int i = 0; i < view.width; ++i)
                put(i, y, 0);
    }

    void read() {
        while (y_ < view_.height) {
            if (y_ == view_.height - 1 && x_ >= view_.width && offset_ >= source_.bytes.size())
                return; // complete, though the end code is missing
            const unsigned count = next(), value = next();
            if (count > 0)
                run(count, value);
            else if (value == 1)
                return;
            else if (value == 0)
                newLine();
            else if (value == 2)
                jump();
            else
                literal(value);
        }
    }

private:
    unsigned next() {
        if (offset_ >= source_.bytes.size())
            failTruncated(source_, "a BMP whose pixels end too early");
        return to_integer<unsigned>(source_.bytes[offset_++]);
    }
    void put(int x, int y, unsigned index) {
        const int channels = view_.format.channels;
        putIndex(source_, header_, index, view_.row<std::uint8_t>(targetRow(header_, y)) + std::ptrdiff_t(x) * channels,
                 channels);
    }
    void put(unsigned index) {
        // Some writers code the filling of a row up to four bytes too.
        if (std::size_t(x_) >= header_.rowBytes() * 8 / std::size_t(header_.bitsPerPixel))
            failDamaged(source_, "a run of the BMP is longer than its row");
        if (x_ < view_.width)
            put(x_, y_, index);
        ++x_;
    }
    bool nibbles() const { return header_.coding == BmpHeader::Coding::RunLength4; }
    void run(unsigned count, unsigned value) {
        for (unsigned i = 0; i < count; ++i)
            put(!nibbles() ? value : i % 2 == 0 ? value >> 4 : value & 15);
    }
    void literal(unsigned count) {
        unsigned value = 0;
        for (unsigned i = 0; i < count; ++i) {
            if (!nibbles() || i % 2 == 0)
                value = next();
            put(!nibbles() ? value : i % 2 == 0 ? value >> 4 : value & 15);
        }
        const unsigned bytes = nibbles() ? (count + 1) / 2 : count;
        if (bytes % 2 != 0)
            next();
    }
    void newLine() {
        x_ = 0;
        ++y_;
    }
    void jump() {
        const unsigned right = next();
        const unsigned up = next();
        if (right > unsigned(std::max(view_.width - x_, 0)) || up >= unsigned(view_.height - y_))
            failDamaged(source_, "the BMP's code leaves the picture");
        x_ += int(right);
        y_ += int(up);
    }

    const Source &source_;
    const BmpHeader &header_;
    const PixelView &view_;
    std::size_t offset_;
    int x_ = 0, y_ = 0;
};

} // namespace

std::uint64_t BmpHeader::smallestRaster() const {
    if (coding != Coding::Plain)
        return 0;
    // The filling of the last row may be missing.
    const std::uint64_t lastRow = (std::uint64_t(info.width) * std::uint64_t(bitsPerPixel) + 7) / 8;
    return saturatingProduct(rowBytes(), std::uint64_t(info.height) - 1) + lastRow;
}

std::optional<Header> BmpLoader::readHeader(const Source &source) const {
    const auto header = readBmpHeader(source);
    if (!header)
        return std::nullopt;
    return Header{header->info, 1, header->pixelOffset, header->smallestRaster()};
}

Image BmpLoader::decode(const Source &source, const Header &) const {
    const BmpHeader header = *readBmpHeader(source);
    Image image(header.info.width, header.info.height, header.info.format);
    const PixelView view = image.view();
    if (header.coding == BmpHeader::Coding::Plain)
        readPlain(source, header, view);
    else
        RunLengthReader(source, header, view).read();
    return image;
}

} // namespace tessera::codecs
