#include "app/image/codecs/stb_library.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace {

thread_local std::size_t budget = std::size_t(16) << 20;

// Zeroed, so that no pixel of a damaged file shows what the memory held before.
void *allocate(std::size_t size) { return size <= budget ? std::calloc(1, std::max<std::size_t>(size, 1)) : nullptr; }

void *reallocate(void *old, std::size_t oldSize, std::size_t size) {
    void *fresh = allocate(size);
    if (fresh && old) {
        std::memcpy(fresh, old, std::min(oldSize, size));
        std::free(old);
    }
    return fresh;
}

} // namespace

#define STBI_MALLOC(size) allocate(size)
#define STBI_REALLOC_SIZED(pointer, oldSize, size) reallocate(pointer, oldSize, size)
#define STBI_FREE(pointer) std::free(pointer)
#define STBI_MAX_DIMENSIONS (1 << 24)
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION

#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

namespace tessera::codecs {

void stbSetBudget(std::size_t bytes) { budget = bytes; }

unsigned char *stbLoad8(const unsigned char *data, int size, int *width, int *height, int *channels, int wanted) {
    return stbi_load_from_memory(data, size, width, height, channels, wanted);
}

unsigned short *stbLoad16(const unsigned char *data, int size, int *width, int *height, int *channels, int wanted) {
    return stbi_load_16_from_memory(data, size, width, height, channels, wanted);
}

std::vector<std::uint8_t> stbInflate(std::span<const std::byte> data) {
    int size = 0;
    char *inflated = stbi_zlib_decode_malloc(reinterpret_cast<const char *>(data.data()), int(data.size()), &size);
    std::vector<std::uint8_t> content;
    if (inflated && size > 0)
        content.assign(inflated, inflated + size);
    std::free(inflated);
    return content;
}

const char *stbFailure() { return stbi_failure_reason(); }

void stbFree(void *pixels) { stbi_image_free(pixels); }

bool stbWritePng(StbSink sink, void *context, int width, int height, int channels, const void *pixels) {
    return stbi_write_png_to_func(sink, context, width, height, channels, pixels, width * channels) != 0;
}

bool stbWriteJpeg(StbSink sink, void *context, int width, int height, int channels, const void *pixels, int quality) {
    return stbi_write_jpg_to_func(sink, context, width, height, channels, pixels, quality) != 0;
}

} // namespace tessera::codecs
