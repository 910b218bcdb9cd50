// TGA. Source: Truevision TGA File Format Specification, version 2.0.
#include "app/image/codecs/byte_reader.h"
#include "app/image/codecs/simple_codecs.h"

#include <algorithm>
#include <array>

namespace tessera::codecs {

namespace {

constexpr std::size_t headerSize = 18;

struct TgaHeader {
    ImageInfo info;
    bool indexed = false, grey = false, runLength = false;
    bool fromRight = false, fromTop = false;
    int bytesPerPixel = 0; // of a stored pixel or index
    unsigned firstColour = 0, colours = 0;
    int coloursBytes = 0; // of a palette entry
    std::size_t paletteOffset = 0, pixelOffset = 0;
};

using Colour = std::array<std::uint8_t, 4>; // RGBA; grey in [0], its alpha in [1]

bool validEntry(int bits) { return bits == 15 || bits == 16 || bits == 24 || bits == 32; }

bool validBits(const TgaHeader &header, int bits) {
    if (header.indexed || header.grey)
        return bits == 8 || bits == 16;
    return validEntry(bits);
}

// TGA has no signature, so that every field is checked that has few legal values.
std::optional<TgaHeader> readTgaHeader(const Source &source) {
    const ByteReader reader(source.bytes, std::endian::little);
    if (!reader.has(0, headerSize))
        return std::nullopt;
    const int paletteKind = *reader.u8(1), type = *reader.u8(2), entryBits = *reader.u8(7);
    const int bits = *reader.u8(16), descriptor = *reader.u8(17);
    const int kind = type & 7;
    TgaHeader header;
    header.indexed = kind == 1;
    header.grey = kind == 3;
    header.runLength = type >= 8;
    const bool knownType = (type & ~11) == 0 && kind != 0;
    const bool palette = paletteKind == 1;
    if (!knownType || paletteKind > 1 || palette != header.indexed || !validBits(header, bits) ||
        (descriptor & 0xc0) != 0 || (palette && !validEntry(entryBits)))
        return std::nullopt;
    const unsigned width = *reader.u16(12), height = *reader.u16(14);
    if (width == 0 || height == 0)
        return std::nullopt;
    header.fromRight = descriptor & 0x10;
    header.fromTop = descriptor & 0x20;
    header.bytesPerPixel = (bits + 7) / 8;
    header.firstColour = *reader.u16(3);
    header.colours = *reader.u16(5);
    header.coloursBytes = palette ? (entryBits + 7) / 8 : 0;
    header.paletteOffset = headerSize + *reader.u8(0);
    header.pixelOffset = header.paletteOffset + std::size_t(header.colours) * std::size_t(header.coloursBytes);
    const int colourBits = palette ? entryBits : bits;
    const int channels = header.grey ? colourBits / 8 : colourBits == 32 ? 4 : 3;
    header.info = makeInfo(source, width, height, {Depth::U8, channels}, "tga");
    return header;
}

std::uint8_t fromFiveBits(unsigned value) { return static_cast<std::uint8_t>(((value & 31) * 255 + 15) / 31); }

Colour decodeColour(const std::byte *from, int bytes, bool grey) {
    const auto at = [from](int i) { return std::to_integer<std::uint8_t>(from[i]); };
    if (grey)
        return {at(0), bytes == 2 ? at(1) : std::uint8_t(255), 0, 0};
    if (bytes == 2) {
        const unsigned word = unsigned(at(0)) | unsigned(at(1)) << 8;
        return {fromFiveBits(word >> 10), fromFiveBits(word >> 5), fromFiveBits(word), 255};
    }
    return {at(2), at(1), at(0), bytes == 4 ? at(3) : std::uint8_t(255)};
}

// Delivers one pixel after the other; runs may go on over the end of a row.
class TgaPixels {
public:
    TgaPixels(const Source &source, const TgaHeader &header)
        : source_(source), header_(header), offset_(header.pixelOffset) {
        if (header.indexed)
            readPalette();
    }

    Colour next() {
        if (!header_.runLength)
            return decode(take(header_.bytesPerPixel));
        if (left_ == 0) {
            const auto code = std::to_integer<unsigned>(*take(1));
            left_ = (code & 127) + 1;
            repeats_ = code >= 128;
            if (repeats_)
                colour_ = decode(take(header_.bytesPerPixel));
        }
        --left_;
        return repeats_ ? colour_ : decode(take(header_.bytesPerPixel));
    }

private:
    const std::byte *take(int count) {
        if (!ByteReader(source_.bytes, std::endian::little).has(offset_, std::uint64_t(count)))
            failTruncated(source_, "a TGA whose pixels end too early");
        const std::byte *place = source_.bytes.data() + offset_;
        offset_ += std::size_t(count);
        return place;
    }
    void readPalette() {
        std::size_t offset = header_.paletteOffset;
        for (unsigned i = 0; i < header_.colours; ++i, offset += std::size_t(header_.coloursBytes)) {
            if (!ByteReader(source_.bytes, std::endian::little).has(offset, std::uint64_t(header_.coloursBytes)))
                failTruncated(source_, "a TGA that ends within its palette");
            palette_.push_back(decodeColour(source_.bytes.data() + offset, header_.coloursBytes, false));
        }
    }
    Colour decode(const std::byte *pixel) const {
        if (!header_.indexed)
            return decodeColour(pixel, header_.bytesPerPixel, header_.grey);
        unsigned index = std::to_integer<unsigned>(pixel[0]);
        if (header_.bytesPerPixel == 2)
            index |= std::to_integer<unsigned>(pixel[1]) << 8;
        if (index < header_.firstColour || index - header_.firstColour >= palette_.size())
            failDamaged(source_, "a pixel of the TGA has a colour outside the palette");
        return palette_[index - header_.firstColour];
    }

    const Source &source_;
    const TgaHeader &header_;
    std::size_t offset_;
    std::vector<Colour> palette_;
    unsigned left_ = 0;
    bool repeats_ = false;
    Colour colour_{};
};

} // namespace

std::optional<Header> TgaLoader::readHeader(const Source &source) const {
    const auto header = readTgaHeader(source);
    if (!header)
        return std::nullopt;
    const std::uint64_t pixels = std::uint64_t(header->info.width) * std::uint64_t(header->info.height);
    const auto pixelBytes = std::uint64_t(header->bytesPerPixel);
    constexpr std::uint64_t longestRun = 128;
    Header result{header->info, 1, header->pixelOffset, header->runLength ? 0 : pixels * pixelBytes};
    result.leastBytes = pixels / longestRun * (1 + pixelBytes);
    return result;
}

Image TgaLoader::decode(const Source &source, const Header &) const {
    const TgaHeader header = *readTgaHeader(source);
    TgaPixels pixels(source, header);
    Image image(header.info.width, header.info.height, header.info.format);
    const PixelView view = image.view();
    const int channels = view.format.channels;
    for (int y = 0; y < view.height; ++y) {
        auto *row = view.row<std::uint8_t>(header.fromTop ? y : view.height - 1 - y);
        for (int x = 0; x < view.width; ++x) {
            const Colour colour = pixels.next();
            const std::ptrdiff_t column = header.fromRight ? view.width - 1 - x : x;
            std::copy_n(colour.begin(), channels, row + column * channels);
        }
    }
    return image;
}

} // namespace tessera::codecs
