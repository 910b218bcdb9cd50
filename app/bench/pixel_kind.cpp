#include "app/bench/pixel_kind.h"

#include <algorithm>

namespace tessera {

const std::vector<PixelKind> &pixelKinds() {
    static const std::vector<PixelKind> kinds{
        {"f32", ScalarType::F32, 1},  {"f16", ScalarType::F16, 1},     {"u8", ScalarType::U8, 1},
        {"u16", ScalarType::U16, 1},  {"rgba32f", ScalarType::F32, 4}, {"rgba16f", ScalarType::F16, 4},
        {"rgba8", ScalarType::U8, 4}, {"rgba16", ScalarType::U16, 4},
    };
    return kinds;
}

const PixelKind *findPixelKind(std::string_view name) {
    const auto found = std::ranges::find(pixelKinds(), name, &PixelKind::name);
    return found == pixelKinds().end() ? nullptr : &*found;
}

const PixelKind &pixelKindOf(ScalarType type, int channels) {
    return *std::ranges::find_if(pixelKinds(), [&](const PixelKind &kind) {
        return kind.type == type && kind.channels == (channels == 1 ? 1 : 4);
    });
}

} // namespace tessera
