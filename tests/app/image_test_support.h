// What the tests of app/image share: random pictures, comparison, and files built byte by byte, so that readers are
// judged by the formats' specifications and not by our own writers.
#pragma once

#include "app/core/error.h"
#include "app/image/codecs/byte_reader.h"
#include "app/image/image_io.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tessera::test {

using ByteVector = std::vector<std::byte>;
using codecs::ByteWriter;

// Every level is as likely; floats are of both signs, from 1e-6 to 1e6.
Image randomImage(int width, int height, PixelFormat format, unsigned seed);

// Level (or float) `value(x, y, c)`.
Image makeImage(int width, int height, PixelFormat format, const std::function<double(int, int, int)> &value);

double sampleAt(const Image &image, int x, int y, int channel);

// Empty where equal in size, kind and every bit of every sample; else what differs first.
std::string difference(const Image &a, const Image &b);

// "what (remedy)", and the kind, of the Error that `action` throws; empty where it throws none.
struct Failure {
    std::string text;
    ErrorKind kind = ErrorKind::Internal;
    explicit operator bool() const { return !text.empty(); }
};
Failure failureOf(const std::function<void()> &action);

ByteVector bytesOf(std::string_view text);
ByteVector encoded(const Image &image, const std::string &format, int quality = 92);

// One small picture in every format, depth and number of channels that this build writes.
struct Sample {
    std::string name; // "tiff-16-4"
    std::string format;
    ByteVector file;
    Image picture; // what was encoded
};
std::vector<Sample> writableSamples(int width, int height);

class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    std::filesystem::path operator/(const std::filesystem::path &name) const { return path_ / name; }
    const std::filesystem::path &path() const { return path_; }
    std::vector<std::string> names() const; // sorted

private:
    std::filesystem::path path_;
};

ByteVector readFile(const std::filesystem::path &path);
void writeFile(const std::filesystem::path &path, std::span<const std::byte> content);

// PNG chunk by chunk, its pixels in stored (uncompressed) Deflate blocks.
class PngBuilder {
public:
    PngBuilder(std::uint32_t width, std::uint32_t height, int bitDepth, int colourType);
    PngBuilder &chunk(std::string_view type, std::span<const std::byte> data);
    PngBuilder &pixels(std::span<const std::byte> rows); // rows with their filter bytes
    ByteVector finish();

private:
    ByteVector file_;
};

// A TIFF of one strip: tags in any order, values as words of their type.
class TiffBuilder {
public:
    explicit TiffBuilder(std::endian order) : order_(order) {}
    TiffBuilder &shorts(std::uint16_t tag, std::vector<std::uint16_t> values);
    TiffBuilder &longs(std::uint16_t tag, std::vector<std::uint32_t> values);
    TiffBuilder &text(std::uint16_t tag, std::string_view words);
    TiffBuilder &data(ByteVector data);                                      // lies at offset 8
    TiffBuilder &strip(ByteVector data);                                     // and the tags that say so
    TiffBuilder &nextPageAtStart() { return followedBySelf_ = true, *this; } // a second page
    ByteVector finish();

private:
    struct Entry {
        std::uint16_t tag, type;
        std::vector<std::uint32_t> values;
    };
    std::endian order_;
    std::vector<Entry> entries_;
    ByteVector data_;
    bool followedBySelf_ = false;
};

// EXIF with Make, orientation, a maker note's bytes in the Exif directory, and a thumbnail directory.
std::vector<std::uint8_t> exifBlock(std::endian order, int orientation);

} // namespace tessera::test
