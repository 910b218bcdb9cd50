// How much memory a file of a batch takes, before it is begun.
#pragma once

#include "app/image/image_io.h"
#include "app/session/pipeline.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace tessera {

// In bytes, upper bounds. What a stage needs includes what it takes over from the stage before.
struct MemoryNeed {
    std::uint64_t decoding = 0, filtering = 0, encoding = 0;

    std::uint64_t peak() const { return std::max({decoding, filtering, encoding}); }
    std::uint64_t fromFiltering() const { return std::max(filtering, encoding); }
};

// `engineCopies`: Engine::workingCopies() of what filters.
MemoryNeed memoryNeed(const ImageInfo &picture, std::uint64_t fileBytes, std::span<const FilterStep> steps,
                      OutputDepth depth, int engineCopies, bool verify);

// The most that the steps hold of a picture at once besides itself and the result, in bytes: what is prepared, combined
// and kept between them, and the engine's copies. Throws Error{Usage} as planStep() does.
std::uint64_t temporaryBytes(std::span<const FilterStep> steps, OutputDepth depth, int engineCopies, PixelFormat input,
                             int width, int height);

} // namespace tessera
