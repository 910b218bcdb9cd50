// How one channel of a pixel is stored.
#pragma once

#include <cstdint>

namespace tessera {

enum class ScalarType : std::uint8_t { U8, U16, F16, F32 };

constexpr int scalarBytes(ScalarType type) { return type == ScalarType::U8 ? 1 : type == ScalarType::F32 ? 4 : 2; }

} // namespace tessera
