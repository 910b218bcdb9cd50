// How a kernel is laid over a picture: a value one can print, compare and test. Pure host code.
#pragma once

#include "gpu/kernels/block.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

enum class KernelVariant : std::uint8_t { Naive, Tiled };

std::string_view kernelVariantName(KernelVariant variant);

// What the planner must know of a device. The defaults are the guarantees of compute capability 7.5, the smallest
// supported, so that a plan made without a device runs on any.
struct DeviceLimits {
    std::size_t sharedBytesPerBlock = 64 * 1024; // opt-in maximum
    int threadsPerBlock = 1024;
    int multiprocessors = 40;
    int maximumGridY = 65535;
};

struct LaunchPlan {
    KernelVariant variant = KernelVariant::Naive;
    Extent grid;
    Extent block;
    std::size_t sharedBytes = 0;

    std::int64_t blocks() const { return std::int64_t(grid.x) * grid.y; }
    std::int64_t threads() const { return blocks() * block.area(); }
    // Threads beyond the `width` x `height` outputs of one output a thread.
    std::int64_t idleThreads(int width, int height) const { return threads() - std::int64_t(width) * height; }

    friend bool operator==(const LaunchPlan &, const LaunchPlan &) = default;
};

std::string toString(const LaunchPlan &plan);

// What the planner must know of a convolution.
struct ConvolutionShape {
    int width = 0; // of the output
    int height = 0;
    int tapsWidth = 1;
    int tapsHeight = 1;
    int stagedPixelBytes = 4; // what one picture value takes in shared memory
};

struct PlanResult {
    LaunchPlan plan;
    std::string refusal; // empty where the plan can run; else why not, a sentence without a final stop
};

PlanResult planConvolution(KernelVariant variant, const ConvolutionShape &shape, const DeviceLimits &limits);

// One-dimensional: `count` elements, one a thread. Ceiling division: every element gets a thread.
LaunchPlan planElements(std::int64_t count, int threadsPerBlock);

} // namespace tessera
