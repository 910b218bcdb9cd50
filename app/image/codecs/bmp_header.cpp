#include "app/image/codecs/bmp_header.h"

#include "app/image/codecs/byte_reader.h"

#include <algorithm>
#include <bit>

namespace tessera::codecs {

namespace {

constexpr std::size_t fileHeaderSize = 14;
enum Compression : std::uint32_t { plain = 0, runLength8 = 1, runLength4 = 2, bitFields = 3, alphaBitFields = 6 };

struct RawHeader {
    std::uint32_t headerSize = 0, pixelOffset = 0, compression = plain, coloursUsed = 0;
    std::int32_t width = 0, height = 0;
    int bitsPerPixel = 0;
};

RawHeader readRaw(const Source &source, const ByteReader &reader) {
    RawHeader raw;
    raw.pixelOffset = *reader.u32(10);
    raw.headerSize = *reader.u32(14);
    if (raw.headerSize == 12) {
        if (!reader.has(0, 26))
            failTruncated(source, "a BMP that ends within its header");
        raw.width = *reader.u16(18);
        raw.height = *reader.u16(20);
        raw.bitsPerPixel = *reader.u16(24);
        return raw;
    }
    if (raw.headerSize < 16 || raw.headerSize > 1024)
        failDamaged(source, "the BMP's header has an unknown length");
    if (!reader.has(fileHeaderSize, raw.headerSize))
        failTruncated(source, "a BMP that ends within its header");
    raw.width = static_cast<std::int32_t>(*reader.u32(18));
    raw.height = static_cast<std::int32_t>(*reader.u32(22));
    raw.bitsPerPixel = *reader.u16(28);
    if (raw.headerSize >= 20)
        raw.compression = *reader.u32(30);
    if (raw.headerSize >= 36)
        raw.coloursUsed = *reader.u32(46);
    return raw;
}

void readMasks(const Source &source, const ByteReader &reader, const RawHeader &raw, BmpHeader &header) {
    if (raw.compression != bitFields && raw.compression != alphaBitFields) {
        if (raw.bitsPerPixel == 16)
            header.masks = {0x7c00, 0x03e0, 0x001f, 0};
        else if (raw.bitsPerPixel == 32)
            header.masks = {0xff0000, 0xff00, 0xff, 0}; // the fourth byte is reserved, not alpha
        return;
    }
    const bool inside = raw.headerSize >= 52;
    const bool alpha = inside ? raw.headerSize >= 56 : raw.compression == alphaBitFields;
    const std::size_t first = fileHeaderSize + 40;
    for (std::size_t i = 0; i < (alpha ? 4u : 3u); ++i) {
        const auto mask = reader.u32(first + 4 * i);
        if (!mask)
            failTruncated(source, "a BMP that ends within its header");
        const std::uint32_t bits = *mask ? *mask >> std::countr_zero(*mask) : 0;
        if ((bits & (bits + 1)) != 0 || bits > 0xff || (bits == 0 && i < 3))
            failInput(source, "it is a BMP with bit fields that cannot be read", "save it as PNG");
        header.masks[i] = *mask;
    }
}

void readPalette(const Source &source, const ByteReader &reader, const RawHeader &raw, std::size_t offset,
                 BmpHeader &header) {
    const std::size_t entrySize = raw.headerSize == 12 ? 3 : 4;
    std::size_t count = std::size_t(1) << raw.bitsPerPixel;
    if (raw.coloursUsed > 0)
        count = std::min<std::size_t>(count, raw.coloursUsed);
    if (raw.pixelOffset > offset) // short palettes of OS/2 are told by the room that they have
        count = std::min(count, (raw.pixelOffset - offset) / entrySize);
    if (count == 0 || !reader.has(offset, count * entrySize))
        failTruncated(source, "a BMP that ends within its palette");
    for (std::size_t i = 0; i < count; ++i, offset += entrySize)
        header.palette.push_back({*reader.u8(offset + 2), *reader.u8(offset + 1), *reader.u8(offset)});
}

bool isGrey(const BmpHeader &header) {
    return std::ranges::all_of(header.palette, [](const auto &c) { return c[0] == c[1] && c[1] == c[2]; });
}

BmpHeader::Coding codingOf(const Source &source, const RawHeader &raw) {
    const bool oldOs2 = raw.headerSize == 64; // its codes 3 and 4 mean other things
    if (raw.compression == plain)
        return BmpHeader::Coding::Plain;
    if (raw.compression == runLength8 && raw.bitsPerPixel == 8)
        return BmpHeader::Coding::RunLength8;
    if (raw.compression == runLength4 && raw.bitsPerPixel == 4)
        return BmpHeader::Coding::RunLength4;
    if ((raw.compression == bitFields || raw.compression == alphaBitFields) && !oldOs2 &&
        (raw.bitsPerPixel == 16 || raw.bitsPerPixel == 32))
        return BmpHeader::Coding::Plain;
    failInput(source, "it is a BMP compressed in a way that cannot be read", "save it as PNG");
}

} // namespace

std::optional<BmpHeader> readBmpHeader(const Source &source) {
    const ByteReader reader(source.bytes, std::endian::little);
    if (!startsWith(source.bytes, "BM") || !reader.has(0, 18) || *reader.u32(14) > 1024)
        return std::nullopt; // two letters are a weak signature
    const RawHeader raw = readRaw(source, reader);
    BmpHeader header;
    header.bitsPerPixel = raw.bitsPerPixel;
    header.coding = codingOf(source, raw);
    header.topDown = raw.height < 0;
    header.pixelOffset = raw.pixelOffset;
    const std::uint64_t height = header.topDown ? -std::int64_t(raw.height) : raw.height;
    switch (raw.bitsPerPixel) {
    case 1:
    case 2:
    case 4:
    case 8:
        readPalette(source, reader, raw, fileHeaderSize + raw.headerSize, header);
        break;
    case 16:
    case 24:
    case 32:
        readMasks(source, reader, raw, header);
        break;
    default:
        failDamaged(source, "the BMP's header states " + std::to_string(raw.bitsPerPixel) + " bits a pixel");
    }
    const bool palette = raw.bitsPerPixel <= 8;
    const int channels = palette ? (isGrey(header) ? 1 : 3) : header.masks[3] ? 4 : 3;
    header.info = makeInfo(source, raw.width < 0 ? 0 : std::uint64_t(raw.width), height, {Depth::U8, channels}, "bmp");
    return header;
}

} // namespace tessera::codecs
