#include "app/image/image.h"

#include "app/core/error.h"
#include "app/image/image_memory.h"

#include <cstring>
#include <limits>
#include <new>

namespace tessera {

namespace {
constexpr std::ptrdiff_t rowAlignment = 64; // a cache line and the widest SIMD register
std::uint64_t pitchOf(int width, PixelFormat format) {
    constexpr std::uint64_t alignment = rowAlignment;
    return (std::uint64_t(width) * std::uint64_t(format.bytesPerPixel()) + alignment - 1) / alignment * alignment;
}

} // namespace

std::uint64_t imageBytes(int width, int height, PixelFormat format) {
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t pitch = pitchOf(width, format); // below 2^36
    return pitch > largest / std::uint64_t(height) ? largest : pitch * std::uint64_t(height);
}

void ImageMemoryRelease::operator()(std::byte *pointer) const noexcept { giveImageMemory({pointer, bytes}); }

Image::Image(int width, int height, PixelFormat format) : width_(width), height_(height), format_(format) {
    if (width < 1 || height < 1 || format.channels < 1 || format.channels > 4)
        throw Error(ErrorKind::Limit, "a picture of " + std::to_string(width) + "x" + std::to_string(height) +
                                          " with " + std::to_string(format.channels) + " channels cannot exist");
    pitch_ = std::ptrdiff_t(pitchOf(width, format));
    try {
        const MemoryBlock block = takeImageMemory(bytes());
        data_ = {block.data, ImageMemoryRelease{block.bytes}};
    } catch (const std::bad_alloc &) {
        throw Error(ErrorKind::Limit, "no memory for a picture of " + std::to_string(bytes() >> 20) + " MiB",
                    "close other programs or filter a smaller picture");
    }
}

Image Image::clone() const {
    if (empty())
        return {};
    Image copy(width_, height_, format_);
    std::memcpy(copy.data_.get(), data_.get(), bytes());
    copy.metadata = metadata;
    return copy;
}

} // namespace tessera
