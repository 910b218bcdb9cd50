#include "app/image/codecs/content.h"

#include "app/image/codecs/byte_reader.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tessera::codecs {

namespace {

struct Signature {
    std::string_view magic;
    std::size_t offset;
    std::string_view what;
};

using namespace std::string_view_literals;

// Formats that a fuller build reads.
constexpr std::array optional{
    Signature{"II*\0"sv, 0, "TIFF picture, and this build has no libtiff"},
    Signature{"MM\0*"sv, 0, "TIFF picture, and this build has no libtiff"},
    Signature{"II+\0"sv, 0, "BigTIFF picture, and this build has no libtiff"},
    Signature{"MM\0+"sv, 0, "BigTIFF picture, and this build has no libtiff"},
#ifndef TESSERA_WITH_WEBP // with it, a file that only nearly begins as one is damaged
    Signature{"WEBP"sv, 8, "WebP picture, and this build has no libwebp"},
#endif
    Signature{"\x76\x2f\x31\x01"sv, 0, "OpenEXR picture, and this build has no OpenCV"},
    Signature{"jP  \r\n\x87\n"sv, 4, "JPEG 2000 picture, and this build has no OpenCV"},
    Signature{"\xff\x4f\xff\x51"sv, 0, "JPEG 2000 picture, and this build has no OpenCV"},
};

constexpr std::array foreign{
    Signature{"GIF87a"sv, 0, "a GIF"},
    Signature{"GIF89a"sv, 0, "a GIF"},
    Signature{"\x59\xa6\x6a\x95"sv, 0, "a Sun raster picture"},
    Signature{"8BPS"sv, 0, "a Photoshop document"},
    Signature{"%PDF"sv, 0, "a PDF document"},
    Signature{"%!PS"sv, 0, "a PostScript document"},
    Signature{"ftypavif"sv, 4, "an AVIF picture"},
    Signature{"ftypheic"sv, 4, "a HEIC picture"},
    Signature{"ftypmif1"sv, 4, "a HEIF picture"},
    Signature{"ftypcrx"sv, 4, "a Canon raw photograph"},
    Signature{"ftyp"sv, 4, "a video"},
    Signature{"\xff\x0a"sv, 0, "a JPEG XL picture"},
    Signature{"JXL \r\n\x87\n"sv, 4, "a JPEG XL picture"},
    Signature{"\x1a\x45\xdf\xa3"sv, 0, "a video"},
    Signature{"DDS "sv, 0, "a DirectDraw texture"},
    Signature{"gimp xcf"sv, 0, "a GIMP document"},
    Signature{"SIMPLE  ="sv, 0, "a FITS picture"},
    Signature{"\x93NUMPY"sv, 0, "a NumPy array"},
    Signature{"\x89HDF"sv, 0, "an HDF5 file"},
    Signature{"DICM"sv, 128, "a DICOM picture"},
    Signature{"PK\x03\x04"sv, 0, "a ZIP archive"},
    Signature{"\x1f\x8b"sv, 0, "a gzip archive"},
    Signature{"Rar!"sv, 0, "a RAR archive"},
    Signature{"\x7f"
              "ELF"sv,
              0, "a program"},
    Signature{"<svg"sv, 0, "an SVG drawing"},
    Signature{"\0\0\1\0"sv, 0, "a Windows icon"},
};

const Signature *find(std::span<const Signature> signatures, Bytes bytes) {
    const auto found =
        std::ranges::find_if(signatures, [&](const Signature &s) { return startsWith(bytes, s.magic, s.offset); });
    return found == signatures.end() ? nullptr : &*found;
}

bool looksLikeText(Bytes bytes) {
    const Bytes start = bytes.first(std::min<std::size_t>(bytes.size(), 512));
    return std::ranges::all_of(start, [](std::byte b) {
        const auto c = std::to_integer<unsigned char>(b);
        return std::isprint(c) || std::isspace(c) || c >= 0x80;
    });
}

constexpr const char *remedy = "convert it to PNG, TIFF or JPEG first";

} // namespace

void failUnreadable(const Source &source) {
    if (const Signature *signature = find(optional, source.bytes))
        failInput(source, "it is a " + std::string(signature->what),
                  std::string(remedy) + ", or build Tessera with that library");
    if (const Signature *signature = find(foreign, source.bytes))
        failInput(source, "it is " + std::string(signature->what) + ", which Tessera does not read", remedy);
    if (looksLikeText(source.bytes))
        failInput(source, "it holds text, not a picture", "check that this is the right file");
    failInput(source, "its content is no picture format that Tessera knows", remedy);
}

} // namespace tessera::codecs
