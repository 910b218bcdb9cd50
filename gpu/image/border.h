// What lies outside the picture. Names follow OpenCV and the command line:
//   zero        000|abcd|000      constant    vvv|abcd|vvv
//   replicate   aaa|abcd|ddd      wrap        bcd|abcd|abc
//   reflect     cba|abcd|dcb      reflect101  dcb|abcd|cba
#pragma once

#include "gpu/image/gpu_code.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera {

enum class BorderMode : std::uint8_t { Zero, Constant, Replicate, Reflect, Reflect101, Wrap };

// `constant` counts for BorderMode::Constant only, in the picture's own units (0-255, 0-65535, float as stored).
struct Border {
    BorderMode mode = BorderMode::Replicate;
    double constant = 0.0;

    friend bool operator==(const Border &, const Border &) = default;
};

// Maps any index onto [0, size), or to -1 where the border has a value of its own (zero, constant).
// Indices may lie any distance outside: a kernel can be larger than the picture. size >= 1.
GPU_CODE constexpr int borderIndex(BorderMode mode, int index, int size) {
    if (index >= 0 && index < size)
        return index;
    switch (mode) {
    case BorderMode::Zero:
    case BorderMode::Constant:
        return -1;
    case BorderMode::Replicate:
        return index < 0 ? 0 : size - 1;
    case BorderMode::Wrap: {
        const int remainder = index % size;
        return remainder < 0 ? remainder + size : remainder;
    }
    case BorderMode::Reflect: {
        const int period = 2 * size;
        int folded = index % period;
        folded = folded < 0 ? folded + period : folded;
        return folded < size ? folded : period - 1 - folded;
    }
    case BorderMode::Reflect101: {
        if (size == 1)
            return 0;
        const int period = 2 * size - 2;
        int folded = index % period;
        folded = folded < 0 ? folded + period : folded;
        return folded < size ? folded : period - folded;
    }
    }
    return -1;
}

// The same as a call: where a kernel maps many indices, copies of the divisions would fill its instruction cache.
#if defined(__CUDA_ARCH__)
__device__ __noinline__ inline int borderIndexCall(BorderMode mode, int index, int size) {
    return borderIndex(mode, index, size);
}
#else
GPU_CODE constexpr int borderIndexCall(BorderMode mode, int index, int size) { return borderIndex(mode, index, size); }
#endif

struct BorderName {
    BorderMode mode;
    std::string_view name;
    std::string_view diagram;
};

inline constexpr std::array<BorderName, 6> borderNames{{
    {BorderMode::Zero, "zero", "000|abcd|000"},
    {BorderMode::Constant, "constant", "vvv|abcd|vvv"},
    {BorderMode::Replicate, "replicate", "aaa|abcd|ddd"},
    {BorderMode::Reflect, "reflect", "cba|abcd|dcb"},
    {BorderMode::Reflect101, "reflect101", "dcb|abcd|cba"},
    {BorderMode::Wrap, "wrap", "bcd|abcd|abc"},
}};

constexpr std::string_view borderName(BorderMode mode) {
    for (const BorderName &entry : borderNames)
        if (entry.mode == mode)
            return entry.name;
    return "unknown";
}

constexpr std::optional<BorderMode> borderFromName(std::string_view name) {
    for (const BorderName &entry : borderNames)
        if (entry.name == name)
            return entry.mode;
    return std::nullopt;
}

} // namespace tessera
