#include "app/image/codecs/png_chunks.h"

#include "app/image/codecs/byte_reader.h"
#include "app/image/exif.h"

#include <algorithm>
#include <array>
#ifdef TESSERA_WITH_DEFLATE
#include <libdeflate.h>
#endif

namespace tessera::codecs {

namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);

struct Chunk {
    std::string_view type;
    Bytes data;
    std::size_t next; // where the following chunk starts
};

Chunk chunkAt(const Source &source, std::size_t offset, bool checkSums) {
    const ByteReader reader(source.bytes, std::endian::big);
    const auto length = reader.u32(offset);
    if (!length || !reader.has(offset, std::uint64_t(*length) + 12))
        failTruncated(source, "a PNG that ends within its chunks");
    const Bytes typed = source.bytes.subspan(offset + 4, std::size_t(*length) + 4);
    const std::string_view type(reinterpret_cast<const char *>(typed.data()), 4);
    const bool ancillary = type[0] & 0x20;
    if (checkSums && !ancillary && pngCheckSum(typed) != reader.u32(offset + 8 + *length))
        failDamaged(source, "a check sum of the PNG does not fit its content");
    return {type, typed.subspan(4), offset + 12 + *length};
}

void takeHeader(const Source &source, Bytes data, PngChunks &chunks) {
    const ByteReader reader(data, std::endian::big);
    if (data.size() != 13)
        failDamaged(source, "the PNG's header has the wrong length");
    chunks.width = *reader.u32(0);
    chunks.height = *reader.u32(4);
    chunks.bitDepth = *reader.u8(8);
    chunks.colourType = *reader.u8(9);
    chunks.interlaced = *reader.u8(12) == 1;
}

void takeChunk(const Chunk &chunk, PngChunks &chunks) {
    if (chunk.type == "tRNS") {
        chunks.hasTransparency = true;
    } else if (chunk.type == "IDAT") {
        if (!chunks.compressed.empty()) {
            const Bytes &last = chunks.compressed.back(); // a check sum, a length and a type lie between
            chunks.compressedIsScattered |= last.data() + last.size() + 12 != chunk.data.data();
        }
        chunks.compressed.push_back(chunk.data);
    } else if (chunk.type == "acTL") {
        chunks.animationFrames = ByteReader(chunk.data, std::endian::big).u32(0).value_or(0);
    } else if (chunk.type == "iCCP") {
        chunks.profile = chunk.data;
    } else if (chunk.type == "eXIf") {
        const auto *first = reinterpret_cast<const std::uint8_t *>(chunk.data.data());
        chunks.exif.assign(first, first + chunk.data.size());
    }
}

bool validDepth(int colourType, int bitDepth) {
    switch (colourType) {
    case 0:
        return bitDepth == 1 || bitDepth == 2 || bitDepth == 4 || bitDepth == 8 || bitDepth == 16;
    case 3:
        return bitDepth == 1 || bitDepth == 2 || bitDepth == 4 || bitDepth == 8;
    case 2:
    case 4:
    case 6:
        return bitDepth == 8 || bitDepth == 16;
    default:
        return false;
    }
}

} // namespace

std::uint64_t pngRowBytes(const PngChunks &chunks) {
    static constexpr unsigned samples[] = {1, 0, 3, 1, 2, 0, 4};
    const std::uint64_t bits =
        std::uint64_t(chunks.width) * samples[chunks.colourType] * unsigned(chunks.bitDepth); // below 2^38
    return (bits + 7) / 8;
}

#ifdef TESSERA_WITH_DEFLATE
std::uint32_t pngCheckSum(Bytes bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }
#else
std::uint32_t pngCheckSum(Bytes bytes) {
    static constexpr auto table = [] {
        std::array<std::uint32_t, 256> values{};
        for (std::uint32_t n = 0; n < 256; ++n) {
            std::uint32_t value = n;
            for (int bit = 0; bit < 8; ++bit)
                value = value & 1 ? 0xedb88320u ^ (value >> 1) : value >> 1;
            values[n] = value;
        }
        return values;
    }();
    std::uint32_t value = 0xffffffffu;
    for (const std::byte b : bytes)
        value = table[(value ^ std::to_integer<std::uint32_t>(b)) & 0xff] ^ (value >> 8);
    return ~value;
}
#endif

std::optional<PngChunks> readPngChunks(const Source &source, bool checkSums) {
    if (!startsWith(source.bytes, signature))
        return std::nullopt;
    PngChunks chunks;
    std::size_t offset = signature.size();
    for (bool first = true;; first = false) {
        if (source.isHead && startsWith(source.bytes, "IDAT", offset + 4)) {
            chunks.compressed.emplace_back(); // the rest tells nothing about the picture's kind
            break;
        }
        const Chunk chunk = chunkAt(source, offset, checkSums);
        if (first != (chunk.type == "IHDR"))
            failDamaged(source, "the PNG's header is not where it belongs");
        if (first)
            takeHeader(source, chunk.data, chunks);
        if (chunk.type == "IEND")
            break;
        takeChunk(chunk, chunks);
        offset = chunk.next;
    }
    if (chunks.compressed.empty())
        failDamaged(source, "the PNG holds no pixels");
    return chunks;
}

Header pngHeader(const Source &source, const PngChunks &chunks) {
    if (!validDepth(chunks.colourType, chunks.bitDepth))
        failDamaged(source, "the PNG's header states colour type " + std::to_string(chunks.colourType) + " with " +
                                std::to_string(chunks.bitDepth) + " bits");
    if (chunks.animationFrames > 1)
        failInput(source, "it is an animation of " + std::to_string(chunks.animationFrames) + " pictures (APNG)",
                  "split it into single pictures first");
    const bool colour = chunks.colourType & 2;
    const bool alpha = (chunks.colourType & 4) || chunks.hasTransparency;
    const PixelFormat format{chunks.bitDepth == 16 ? Depth::U16 : Depth::U8, (colour ? 3 : 1) + (alpha ? 1 : 0)};
    Header header{makeInfo(source, chunks.width, chunks.height, format, "png"), exifOrientation(chunks.exif)};
    const std::uint64_t row = 1 + pngRowBytes(chunks);
    const std::uint64_t raw = saturatingProduct(row, chunks.height); // of an interlaced one hardly more
    header.leastBytes = raw / mostOfDeflate;
    // libpng keeps a few rows, and what is not interlaced is inflated at once.
    constexpr std::uint64_t rows = 3;
    const std::uint64_t kept = rows * std::uint64_t(chunks.width) * std::uint64_t(format.bytesPerPixel());
    header.workBytes = kept + (chunks.interlaced ? 0 : std::min(raw, std::uint64_t(1) << 56));
    return header;
}

} // namespace tessera::codecs
