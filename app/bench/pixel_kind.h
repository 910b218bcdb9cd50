// The pixels that benchmarks and inspections work on, by the names of the command line.
#pragma once

#include "gpu/launch/convolution.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct PixelKind {
    std::string_view name; // "rgba8"
    ScalarType type;
    int channels; // 1 or 4

    int bytes() const { return scalarBytes(type) * channels; }
};

// f32, f16, u8, u16 and their forms with four channels.
const std::vector<PixelKind> &pixelKinds();

// nullptr where there is none.
const PixelKind *findPixelKind(std::string_view name);

// What the kernels work on for a picture of this depth: two and three channels become four.
const PixelKind &pixelKindOf(ScalarType type, int channels);

} // namespace tessera
