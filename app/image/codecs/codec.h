// What a loader and a saver are, inside app/image. Loaders stand in an ordered list (codec_list.cpp); the first whose
// readHeader() answers reads the file. Content decides: no loader ever sees a file's extension.
#pragma once

#include "app/core/error.h"
#include "app/image/image_io.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::codecs {

using Bytes = std::span<const std::byte>;
using ByteVector = std::vector<std::byte>;

// One file in memory, and the name that errors give it.
struct Source {
    Bytes bytes;
    std::string_view name;
    bool isHead = false;          // only the file's beginning, for readHeader()
    std::uint64_t fileLength = 0; // of the whole file, where that is known; else 0
};

// What decode() will deliver: size and kind as stored, before the orientation is applied.
struct Header {
    ImageInfo info;
    int orientation = 1; // EXIF's 1..8

    // Where the pixels lie, and how many bytes they take at least; 0 where the header does not tell, as for what is
    // compressed. So a few bytes that claim a huge picture are called cut off, and nobody is told to get more memory.
    std::uint64_t pixelOffset = 0, pixelBytes = 0;

    // Of what is compressed: the fewest bytes that its coding could make of these pixels; 0 where nothing bounds that.
    std::uint64_t leastBytes = 0;
    // What decoding takes besides the picture itself, about; 0 where that is little.
    std::uint64_t workBytes = 0;
};

class Loader {
public:
    virtual ~Loader() = default;

    // Looks at the header only. Empty: another format, or a kind that this loader leaves to the next one. Throws
    // Error{Input} where the format is this loader's and the content is damaged or cannot be represented.
    virtual std::optional<Header> readHeader(const Source &source) const = 0;

    // Called after the limits and the file's length were checked against `header`, which this loader's readHeader()
    // returned. Delivers the pixels as stored, with raw EXIF and ICC in the metadata.
    virtual Image decode(const Source &source, const Header &header) const = 0;
};

// In the order in which they are asked.
std::span<const Loader *const> loaders();

// One writable format. `encode` may rely on cannotHold() having been asked. Throws Error{Output}.
struct Saver {
    std::string_view format;
    ByteVector (*encode)(const Image &image, const SaveOptions &options);
};

std::span<const Saver> savers();

// "NAME: WHY".
[[noreturn]] void failInput(const Source &source, const std::string &why, const std::string &remedy = {});
[[noreturn]] void failTruncated(const Source &source, const std::string &what);
[[noreturn]] void failDamaged(const Source &source, const std::string &why);
[[noreturn]] void failOutput(std::string_view format, const std::string &why, const std::string &remedy = {});

// Throws where a side has more pixels than that.
void requireSides(std::string_view format, const Image &image, int longest);

// The most that Deflate makes of a byte: a match of 258 bytes in two bits (RFC 1951, 3.2.5).
inline constexpr std::uint64_t mostOfDeflate = 1032;

// Throws where a file of `fileLength` bytes ends before the pixels that the header states, or is too short to hold that
// many in any way.
void requirePixels(const Source &source, const Header &header, std::uint64_t fileLength);

// The product or sum, or the largest number where that is less: headers may state anything.
std::uint64_t saturatingProduct(std::uint64_t a, std::uint64_t b);
std::uint64_t saturatingSum(std::uint64_t a, std::uint64_t b);

// Sizes of an int each, at least 1; else the file is damaged.
ImageInfo makeInfo(const Source &source, std::uint64_t width, std::uint64_t height, PixelFormat format,
                   std::string_view fileFormat);

} // namespace tessera::codecs
