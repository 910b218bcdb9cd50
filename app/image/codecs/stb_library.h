// The few functions of stb that are used, behind names of our own, so that its source is compiled in one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::codecs {

// What a single allocation of this thread's next call may take: a small file cannot inflate without end.
void stbSetBudget(std::size_t bytes);

unsigned char *stbLoad8(const unsigned char *data, int size, int *width, int *height, int *channels, int wanted);
unsigned short *stbLoad16(const unsigned char *data, int size, int *width, int *height, int *channels, int wanted);
std::vector<std::uint8_t> stbInflate(std::span<const std::byte> data); // empty on failure
const char *stbFailure();
void stbFree(void *pixels);

using StbSink = void (*)(void *context, void *data, int size);
bool stbWritePng(StbSink sink, void *context, int width, int height, int channels, const void *pixels);
bool stbWriteJpeg(StbSink sink, void *context, int width, int height, int channels, const void *pixels, int quality);

} // namespace tessera::codecs
