// Pictures on the host. Views describe memory, Image owns it.
//
// Layout: rows from the top, `pitch` bytes apart, channels interleaved. Channels: 1 grey, 2 grey + alpha, 3 RGB,
// 4 RGBA. Units are those of the file: 0-255, 0-65535, or float as stored (nominally 0-1). Alpha is never
// premultiplied here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera {

enum class Depth : std::uint8_t { U8, U16, F32 };

constexpr int bytesPerSample(Depth depth) { return depth == Depth::U8 ? 1 : depth == Depth::U16 ? 2 : 4; }

// The value that stands for white or opaque: 255, 65535 or 1.
constexpr double nominalMaximum(Depth depth) {
    return depth == Depth::U8 ? 255.0 : depth == Depth::U16 ? 65535.0 : 1.0;
}

constexpr const char *depthName(Depth depth) { return depth == Depth::U8 ? "8" : depth == Depth::U16 ? "16" : "32f"; }

struct PixelFormat {
    Depth depth = Depth::U8;
    int channels = 3; // 1..4

    constexpr int bytesPerPixel() const { return bytesPerSample(depth) * channels; }
    constexpr bool hasAlpha() const { return channels == 2 || channels == 4; }
    constexpr int colourChannels() const { return hasAlpha() ? channels - 1 : channels; }
    friend constexpr bool operator==(const PixelFormat &, const PixelFormat &) = default;
};

struct Rectangle {
    int x = 0, y = 0, width = 0, height = 0;

    constexpr bool empty() const { return width <= 0 || height <= 0; }
    friend constexpr bool operator==(const Rectangle &, const Rectangle &) = default;
};

// The smallest that holds both.
constexpr Rectangle united(const Rectangle &a, const Rectangle &b) {
    const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y};
}

// `Byte` is std::byte or const std::byte.
template <class Byte> struct BasicPixelView {
    Byte *data = nullptr;
    int width = 0;
    int height = 0;
    std::ptrdiff_t pitch = 0; // bytes from one row to the next; may exceed width * bytesPerPixel
    PixelFormat format;

    template <class T> auto *row(int y) const {
        using Value = std::conditional_t<std::is_const_v<Byte>, const T, T>;
        return reinterpret_cast<Value *>(data + y * pitch);
    }
    BasicPixelView part(const Rectangle &area) const {
        return {data + area.y * pitch + std::ptrdiff_t(area.x) * format.bytesPerPixel(), area.width, area.height, pitch,
                format};
    }
    constexpr Rectangle bounds() const { return {0, 0, width, height}; }
    operator BasicPixelView<const std::byte>() const requires(!std::is_const_v<Byte>) {
        return {data, width, height, pitch, format};
    }
};

using PixelView = BasicPixelView<std::byte>;
using ConstPixelView = BasicPixelView<const std::byte>;

// Memory that a picture of this kind takes, padding of its rows included; the largest number where it is more.
std::uint64_t imageBytes(int width, int height, PixelFormat format);

// What travels with a picture from file to file.
struct ImageMetadata {
    std::vector<std::uint8_t> iccProfile; // empty: sRGB for integers, linear for float
    std::vector<std::uint8_t> exif;       // raw EXIF block, orientation already applied and reset
    std::string sourceFormat;             // "png", "jpg", ...; empty where the picture came from no file
    std::string narrowed;                 // ImageInfo::narrowed
};

struct ImageMemoryRelease {
    std::size_t bytes = 0; // of the block, which may be larger than the picture
    void operator()(std::byte *pointer) const noexcept;
};

// Owns its pixels; rows start on 64-byte boundaries (pitch is a multiple of 64). Moves are cheap, copies are
// explicit (clone), so that a large picture is never copied by accident; share one as std::shared_ptr<const Image>.
class Image {
public:
    Image() = default;
    // Uninitialised pixels. Throws Error{Limit} where width or height is below 1 or the memory cannot be had.
    Image(int width, int height, PixelFormat format);

    Image(Image &&) noexcept = default;
    Image &operator=(Image &&) noexcept = default;
    Image clone() const;

    bool empty() const { return width_ == 0; }
    int width() const { return width_; }
    int height() const { return height_; }
    PixelFormat format() const { return format_; }
    std::ptrdiff_t pitch() const { return pitch_; }
    std::size_t bytes() const { return std::size_t(pitch_) * std::size_t(height_); }

    PixelView view() { return {data_.get(), width_, height_, pitch_, format_}; }
    ConstPixelView view() const { return {data_.get(), width_, height_, pitch_, format_}; }

    ImageMetadata metadata;

private:
    std::unique_ptr<std::byte[], ImageMemoryRelease> data_;
    int width_ = 0;
    int height_ = 0;
    std::ptrdiff_t pitch_ = 0;
    PixelFormat format_;
};

using SharedImage = std::shared_ptr<const Image>;

// Keeps up to `bytes` of the memory of pictures that are gone, for pictures of about that size to come: fresh memory
// costs a batch a tenth of its time in page faults and zeroing. 0, the default, keeps none and frees what was kept.
void keepImageMemory(std::size_t bytes);

} // namespace tessera
