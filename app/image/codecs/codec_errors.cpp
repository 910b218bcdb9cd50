#include "app/image/codecs/codec.h"

#include <algorithm>
#include <limits>

namespace tessera::codecs {

void failInput(const Source &source, const std::string &why, const std::string &remedy) {
    throw Error(ErrorKind::Input, std::string(source.name) + ": " + why, remedy);
}

void failTruncated(const Source &source, const std::string &what) {
    failInput(source, "the file is cut off: " + what, "copy or download it again");
}

void failDamaged(const Source &source, const std::string &why) {
    failInput(source, "the file is damaged: " + why, "copy it again, or save it anew from the program that made it");
}

void failOutput(std::string_view format, const std::string &why, const std::string &remedy) {
    throw Error(ErrorKind::Output, "cannot write " + std::string(format) + ": " + why, remedy);
}

void requireSides(std::string_view format, const Image &image, int longest) {
    if (image.width() > longest || image.height() > longest)
        failOutput(format, "a side of more than " + std::to_string(longest) + " pixels", "choose png or tiff");
}

void requirePixels(const Source &source, const Header &header, std::uint64_t fileLength) {
    const std::uint64_t there = fileLength - std::min(fileLength, header.pixelOffset);
    if (there < header.pixelBytes)
        failTruncated(source, "its pixels take " + std::to_string(header.pixelBytes) + " bytes and " +
                                  std::to_string(there) + " are there");
    // What is small is left to its decoder, which knows better what is wrong.
    constexpr std::uint64_t harmless = std::uint64_t(16) << 20;
    const ImageInfo &info = header.info;
    if (fileLength < header.leastBytes && imageBytes(info.width, info.height, info.format) > harmless)
        failInput(source,
                  "the file is far too short for the size it states: " + std::to_string(info.width) + "x" +
                      std::to_string(info.height) + " pixels take at least " + std::to_string(header.leastBytes) +
                      " bytes, and " + std::to_string(fileLength) + " are there",
                  "copy or download it again");
}

std::uint64_t saturatingProduct(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    return b != 0 && a > largest / b ? largest : a * b;
}

std::uint64_t saturatingSum(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    return a > largest - b ? largest : a + b;
}

ImageInfo makeInfo(const Source &source, std::uint64_t width, std::uint64_t height, PixelFormat format,
                   std::string_view fileFormat) {
    constexpr std::uint64_t largest = std::numeric_limits<int>::max();
    if (width < 1 || height < 1 || width > largest || height > largest)
        failDamaged(source, "its header states a size of " + std::to_string(width) + "x" + std::to_string(height));
    return {static_cast<int>(width), static_cast<int>(height), format, std::string(fileFormat)};
}

} // namespace tessera::codecs
