// The filters that PNG applies to rows before it compresses them. Source: PNG specification, third edition, clause 9.
#pragma once

#include "app/image/image.h"

namespace tessera::codecs {

constexpr std::size_t filteredPngBytes(const ConstPixelView &view) {
    return (1 + std::size_t(view.width) * std::size_t(view.format.bytesPerPixel())) * std::size_t(view.height);
}

// Writes the picture as PNG stores it: 16-bit samples with the most significant byte first, each row behind the number
// of its filter, the one of five whose output has the smallest sum of magnitudes (the specification's own advice).
// `target` has filteredPngBytes() bytes.
void filterForPng(const ConstPixelView &view, std::byte *target);

} // namespace tessera::codecs
