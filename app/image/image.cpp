#include "app/image/image.h"

#include "app/core/error.h"

#include <cstdint>
#include <cstring>
#include <new>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tessera {

namespace {
constexpr std::ptrdiff_t rowAlignment = 64;    // a cache line and the widest SIMD register
constexpr std::align_val_t baseAlignment{256}; // what the device's allocator gives, so that both agree on sectors

// A picture of a hundred megabytes is 25,000 pages of 4 KB: each costs a fault when it is first written, and filters
// walk down its rows, a page or more apart. Where the system has huge pages for the asking, large pictures ask.
void preferHugePages([[maybe_unused]] std::byte *data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    constexpr std::size_t least = 8u << 20, page = 4096;
    if (bytes < least)
        return;
    const std::size_t skipped = (page - reinterpret_cast<std::uintptr_t>(data) % page) % page;
    (void)madvise(data + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE); // advice: without it all works, too
#endif
}
} // namespace

void Image::AlignedFree::operator()(std::byte *pointer) const noexcept { ::operator delete[](pointer, baseAlignment); }

Image::Image(int width, int height, PixelFormat format) : width_(width), height_(height), format_(format) {
    if (width < 1 || height < 1 || format.channels < 1 || format.channels > 4)
        throw Error(ErrorKind::Limit, "a picture of " + std::to_string(width) + "x" + std::to_string(height) +
                                          " with " + std::to_string(format.channels) + " channels cannot exist");
    const std::ptrdiff_t rowBytes = std::ptrdiff_t(width) * format.bytesPerPixel();
    pitch_ = (rowBytes + rowAlignment - 1) / rowAlignment * rowAlignment;
    try {
        data_.reset(static_cast<std::byte *>(::operator new[](bytes(), baseAlignment)));
        preferHugePages(data_.get(), bytes());
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
