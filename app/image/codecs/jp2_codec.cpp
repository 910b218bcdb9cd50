// JPEG 2000. Source: ITU-T T.800, annex A (codestream) and annex I (file format).
#include "app/image/codecs/byte_reader.h"
#include "app/image/codecs/opencv_bridge.h"
#include "app/image/codecs/opencv_codec.h"

namespace tessera::codecs {

namespace {

constexpr std::string_view codestream("\xff\x4f\xff\x51", 4);
constexpr std::string_view fileSignature("jP  \r\n\x87\n", 8);

// Where the codestream starts: at once, or within the box "jp2c".
std::size_t findCodestream(const Source &source) {
    const ByteReader reader(source.bytes, std::endian::big);
    if (startsWith(source.bytes, codestream))
        return 0;
    for (std::uint64_t offset = 0; reader.has(offset, 8);) {
        std::uint64_t length = *reader.u32(offset);
        std::uint64_t start = offset + 8;
        if (length == 1) {
            length = reader.u64(offset + 8).value_or(0);
            start = offset + 16;
        }
        if (startsWith(source.bytes, "jp2c", std::size_t(offset + 4)) &&
            startsWith(source.bytes, codestream, std::size_t(start)))
            return std::size_t(start);
        if (length < 8 || !reader.has(offset, length))
            break;
        offset += length;
    }
    failTruncated(source, "a JPEG 2000 picture without its pixels");
}

} // namespace

std::optional<Header> Jp2Loader::readHeader(const Source &source) const {
    const bool mine = startsWith(source.bytes, codestream) || startsWith(source.bytes, fileSignature, 4);
    if (!mine || !opencvCodecsPresent())
        return std::nullopt;
    const std::size_t size = findCodestream(source) + 6; // the SIZ segment's content, behind its length
    const ByteReader reader(source.bytes, std::endian::big);
    const auto components = reader.u16(size + 36 - 2);
    if (!components || !reader.has(size + 36, std::uint64_t(*components) * 3))
        failTruncated(source, "a JPEG 2000 picture that ends within its header");
    bool plain = *components == 1 || *components == 3 || *components == 4;
    const unsigned bits = plain ? *reader.u8(size + 36) + 1u : 0;
    for (std::size_t i = 0; plain && i < *components; ++i)
        plain = *reader.u8(size + 36 + 3 * i) + 1u == bits && *reader.u8(size + 37 + 3 * i) == 1 &&
                *reader.u8(size + 38 + 3 * i) == 1;
    if (!plain || (bits != 8 && bits != 16))
        failInput(source, "it is a JPEG 2000 picture of a kind that cannot be read",
                  "save it with 8 or 16 bits as grey, RGB or RGBA, or as PNG or TIFF");
    const std::uint64_t right = *reader.u32(size + 2), bottom = *reader.u32(size + 6);
    const std::uint64_t left = *reader.u32(size + 10), top = *reader.u32(size + 14);
    Header header{makeInfo(source, right > left ? right - left : 0, bottom > top ? bottom - top : 0,
                           {bits == 8 ? Depth::U8 : Depth::U16, int(*components)}, "jp2"),
                  1};
    // OpenCV's own picture, which comes from one of 32-bit samples.
    const ImageInfo &info = header.info;
    header.workBytes = imageBytes(info.width, info.height, info.format) +
                       imageBytes(info.width, info.height, {Depth::F32, info.format.channels});
    return header;
}

Image Jp2Loader::decode(const Source &source, const Header &header) const { return opencvDecode(source, header); }

} // namespace tessera::codecs
