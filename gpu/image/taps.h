// The kernel's weights as kernels get them: by value, inside the kernel's own parameters, where the GPU reads them
// through its constant cache without a copy beforehand (parameters may take 32,764 bytes since CUDA 12.1).
#pragma once

#include "gpu/image/gpu_code.h"

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

} // namespace tessera
