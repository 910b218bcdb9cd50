#include "app/image/codecs/jpeg_segments.h"

#include "app/image/codecs/byte_reader.h"
#include "app/image/exif.h"

#include <map>

namespace tessera::codecs {

namespace {

constexpr int endOfImage = 0xd9, startOfScan = 0xda;

// Markers without a length: TEM, the restarts, SOI.
bool standsAlone(int marker) { return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8); }

bool startsFrame(int marker) {
    return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

using ProfileParts = std::map<int, Bytes>; // an ICC profile may take several segments, numbered from 1

void takeFrame(const Source &source, Bytes data, int marker, JpegSegments &segments) {
    const ByteReader reader(data, std::endian::big);
    if (data.size() < 6)
        failDamaged(source, "the JPEG's frame header is too short");
    segments.precision = *reader.u8(0);
    segments.height = *reader.u16(1);
    segments.width = *reader.u16(3);
    segments.components = *reader.u8(5);
    segments.process = marker;
}

void takeApplicationData(Bytes data, int marker, JpegSegments &segments, ProfileParts &parts) {
    constexpr std::string_view exif("Exif\0\0", 6), icc("ICC_PROFILE\0", 12);
    if (marker == 0xe1 && startsWith(data, exif) && segments.exif.empty()) {
        const auto *first = reinterpret_cast<const std::uint8_t *>(data.data());
        segments.exif.assign(first + exif.size(), first + data.size());
    } else if (marker == 0xe2 && startsWith(data, icc) && data.size() > icc.size() + 2) {
        parts[std::to_integer<int>(data[icc.size()])] = data.subspan(icc.size() + 2);
    } else if (marker == 0xee && startsWith(data, "Adobe")) {
        segments.adobe = true;
    }
}

// Looks for the end marker behind the first scan's header. Entropy-coded data holds no marker but restarts (0xFF bytes
// in it are followed by a zero); between scans there are segments, whose content is skipped.
bool endFollows(Bytes bytes, std::size_t offset, int &scans) {
    const ByteReader reader(bytes, std::endian::big);
    while (const auto code = reader.u8(offset + 1)) {
        if (*reader.u8(offset) != 0xff || *code == 0xff) {
            ++offset;
        } else if (*code == endOfImage) {
            return true;
        } else if (*code < 0xc0 || standsAlone(*code)) {
            offset += 2;
        } else {
            scans += *code == startOfScan ? 1 : 0;
            offset += 2 + std::size_t(reader.u16(offset + 2).value_or(0));
        }
    }
    return false;
}

} // namespace

std::optional<JpegSegments> readJpegSegments(const Source &source, bool lookForEnd) {
    const Bytes bytes = source.bytes;
    if (!startsWith(bytes, "\xff\xd8\xff"))
        return std::nullopt;
    const ByteReader reader(bytes, std::endian::big);
    JpegSegments segments;
    ProfileParts parts;
    std::size_t offset = 2;
    while (true) {
        const auto mark = reader.u8(offset), code = reader.u8(offset + 1);
        if (!code)
            failTruncated(source, "a JPEG that ends before its pixels");
        if (*mark != 0xff || *code == 0xff || *code == 0) { // fill bytes, or stray bytes between segments
            ++offset;
            continue;
        }
        offset += 2;
        if (standsAlone(*code))
            continue;
        const auto length = reader.u16(offset);
        if (*code == endOfImage)
            failDamaged(source, "the JPEG holds no pixels");
        if (!length || *length < 2 || !reader.has(offset, *length))
            failTruncated(source, "a JPEG that ends before its pixels");
        const Bytes data = bytes.subspan(offset + 2, *length - 2u);
        offset += *length;
        if (startsFrame(*code))
            takeFrame(source, data, *code, segments);
        else if (*code == startOfScan)
            break;
        else
            takeApplicationData(data, *code, segments, parts);
    }
    for (const auto &[number, part] : parts) {
        const auto *first = reinterpret_cast<const std::uint8_t *>(part.data());
        segments.iccProfile.insert(segments.iccProfile.end(), first, first + part.size());
    }
    segments.complete = lookForEnd && endFollows(bytes, offset, segments.scans);
    return segments;
}

Header jpegHeader(const Source &source, const JpegSegments &segments) {
    constexpr const char *remedy =
        "save it as an ordinary 8-bit JPEG, or as PNG or TIFF, from the program that made it";
    if (segments.process == 0)
        failDamaged(source, "the JPEG has no frame header");
    const bool known = segments.process <= 0xc2 || segments.process == 0xc9 || segments.process == 0xca;
    if (!known)
        failInput(source, "it is a lossless or hierarchical JPEG, which cannot be read", remedy);
    if (segments.precision != 8)
        failInput(source, "it is a JPEG with " + std::to_string(segments.precision) + " bits, of which 8 can be read",
                  remedy);
    const unsigned n = segments.components;
    if (n != 1 && n != 3 && n != 4)
        failInput(source, "it is a JPEG with " + std::to_string(n) + " components; 1, 3 and 4 can be read", remedy);
    Header header{makeInfo(source, segments.width, segments.height, {Depth::U8, n == 1 ? 1 : 3}, "jpg"),
                  exifOrientation(segments.exif)};
    // Huffman coding spends a bit at least on a block of 8x8 samples, and there may be as few as one block for 16.
    constexpr std::uint64_t mostPixelsOfByte = 8 * 64 * 16;
    const bool huffman = segments.process <= 0xc2;
    const std::uint64_t pixels = std::uint64_t(segments.width) * segments.height;
    header.leastBytes = huffman ? pixels / mostPixelsOfByte : 0;
    // What comes in several scans is kept as coefficients, of two bytes each, until the last.
    const bool progressive = segments.process == 0xc2 || segments.process == 0xca;
    header.workBytes = progressive ? pixels * n * 2 : 0;
    return header;
}

} // namespace tessera::codecs
