// The kernel's weights as kernels get them: by value, inside the kernel's own parameters, where the GPU reads them
// through its constant cache without a copy beforehand (parameters may take 32,764 bytes since CUDA 12.1).
#pragma once

#include "gpu/image/gpu_code.h"
#include "gpu/image/half.h"

namespace tessera {

inline constexpr int maximumTapsSide = 63;

// output(x, y) = sum over (u, v) of value(u, v) * source(x + u - anchorX, y + v - anchorY).
struct Taps {
    int width = 1;
    int height = 1;
    int anchorX = 0;
    int anchorY = 0;
    float value[maximumTapsSide * maximumTapsSide]; // row-major, width * height used

    GPU_CODE float at(int u, int v) const { return value[v * width + u]; }
    GPU_CODE int count() const { return width * height; }
};

// The smallest odd square side around the origin that holds all taps; 3 or more.
GPU_CODE constexpr int centredSide(int width, int height, int anchorX, int anchorY) {
    const int distances[] = {anchorX, anchorY, width - 1 - anchorX, height - 1 - anchorY};
    int reach = 1;
    for (const int distance : distances)
        reach = distance > reach ? distance : reach;
    return 2 * reach + 1;
}

// The same for packed halves: each tap twice in a word, ready to multiply two values at once. Taps are divided by the
// divisor beforehand, so that sums stay in the range of the picture rather than leave that of a half.
struct HalfTaps {
    int width = 1;
    int height = 1;
    int anchorX = 0;
    int anchorY = 0;
    // Pixels are multiplied by this when they become halves: 1, or 1/256 for 16-bit ones, whose 65535 is beyond a half.
    float pixelScale = 1.0f;
    bool sumInFloat = true; // false: the whole sum stays in half; true: each kernel row's sum is added up in float
    Half2 value[maximumTapsSide * maximumTapsSide];

    GPU_CODE Half2 at(int u, int v) const { return value[v * width + u]; }
};

} // namespace tessera
