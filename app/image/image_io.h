// Pictures from and to files. Loaders are an ordered list; the first that recognises the content reads it.
//
// Depth and channels are kept: 8 and 16 bits as they are, half and float (and double, rounded; signed 8 and 16 bits,
// exactly) as float; palettes and 1, 2, 4 bits become 8, odd depths up to 15 bits 16. CMYK becomes sRGB. Premultiplied
// alpha (EXR, some TIFFs) is divided out on loading and, for EXR, multiplied in again on saving. Files of several
// pictures (animations, pages) are refused, since filtering one of them would lose the others without a word.
//
// PNG, JPEG, TIFF and WebP carry EXIF and ICC profiles. EXR and JPEG 2000 need OpenCV's codec module, which is loaded
// on first need from ../lib, ../lib/tessera or the folder of the program, or from the file that the environment
// variable TESSERA_OPENCV_CODECS names.
#pragma once

#include "app/image/image.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct LoadLimits {
    std::uint64_t maximumPixels = 4'000'000'000ull; // --max-pixels
    std::uint64_t maximumBytes = 0; // decoded size, --max-memory; 0: three quarters of the memory there is
};

// What the header says, found without decoding: size and format of the picture that loading would give, so upright.
struct ImageInfo {
    int width = 0, height = 0;
    PixelFormat format;
    std::string fileFormat; // "png"
    std::string narrowed{}; // what the file holds that does not fit in, as "64-bit floats"; mostly empty
};

// What to tell of it: "its 64-bit floats were read as 32-bit ones".
std::string narrowingNote(std::string_view narrowed);

// Both throw Error{Input} (unreadable, unknown, truncated, damaged) or Error{Limit}. Content decides, not the name.
// The orientation that EXIF states is applied. A truncated file is an error, not a half-grey picture.
Image loadImage(const std::filesystem::path &path, const LoadLimits &limits = {});
Image decodeImage(std::span<const std::byte> file, std::string_view name, const LoadLimits &limits = {});
ImageInfo probeImage(std::span<const std::byte> file, std::string_view name);
// The same from the beginning of a file of `fileLength` bytes, where that is enough; else Error{Input}. An orientation
// that stands behind the pixels is not found: width and height may be the other way round.
ImageInfo probeImageHead(std::span<const std::byte> head, std::string_view name, std::uint64_t fileLength);

// Throws Error{Input} where the beginning of a file tells already that it is no picture of any kind.
void refuseUnknownHead(std::span<const std::byte> head, std::string_view name);

struct SaveOptions {
    std::string format;     // "png", "jpg", ...; empty: from the path's extension
    int quality = 92;       // 1..100, lossy formats; 100 makes WebP lossless
    bool overwrite = false; // else an existing file is an Error{Output}
};

// Which depths and channels a format can hold.
struct FormatInfo {
    std::string name;                    // "tiff"
    std::vector<std::string> extensions; // {"tif", "tiff"}
    std::vector<Depth> depths;
    bool alpha = false;
    bool grey = true;   // false: a grey picture is stored as three equal channels
    bool colour = true; // false: grey pictures only
    bool lossy = false;
    bool metadata = false;                // carries EXIF and colour profile
    bool canRead = true, canWrite = true; // in this build
};

const std::vector<FormatInfo> &imageFormats();
const FormatInfo *formatForExtension(std::string_view extension);

// Whether the bytes are a WebP whose pixels are stored without loss.
bool isLosslessWebp(std::span<const std::byte> file);

// Empty where `format` can hold a picture of this kind without loss of depth or alpha; else the reason.
std::string cannotHold(const FormatInfo &format, PixelFormat picture);

std::vector<std::byte> encodeImage(const Image &image, const SaveOptions &options);

// Encodes in memory, writes beside, fsyncs, renames: the file is there whole or not at all. Throws Error{Output};
// never converts depth or drops alpha silently.
void saveImage(const Image &image, const std::filesystem::path &path, const SaveOptions &options = {});

// The atomic write alone, for any content. With overwrite false, an existing path is refused even under a race.
void writeFileAtomically(const std::filesystem::path &path, std::span<const std::byte> content, bool overwrite);

} // namespace tessera
