// How a kernel is laid over a picture: a value one can print, compare and test. Pure host code.
#pragma once

#include "gpu/kernels/block.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

enum class KernelVariant : std::uint8_t {
    Naive,
    NaiveFloat4,
    NaiveHalf2,
    Tiled,
    TiledFloat4,
    TiledHalf2,
    Blocked,
    Separable,
    Tensor,
    Fft
};

// The ladder: six forms of one algorithm, which the simulator runs and the model explains.
inline constexpr std::array<KernelVariant, 6> kernelVariants{KernelVariant::Naive,       KernelVariant::NaiveFloat4,
                                                             KernelVariant::NaiveHalf2,  KernelVariant::Tiled,
                                                             KernelVariant::TiledFloat4, KernelVariant::TiledHalf2};

// The tuned ones, made for speed alone. They use what only a GPU has.
inline constexpr std::array<KernelVariant, 4> tunedVariants{KernelVariant::Blocked, KernelVariant::Separable,
                                                            KernelVariant::Tensor, KernelVariant::Fft};

constexpr bool isTiled(KernelVariant variant) {
    return variant >= KernelVariant::Tiled && variant <= KernelVariant::TiledHalf2;
}
constexpr bool isHalf2(KernelVariant variant) {
    return variant == KernelVariant::NaiveHalf2 || variant == KernelVariant::TiledHalf2;
}
constexpr bool isFloat4(KernelVariant variant) {
    return variant == KernelVariant::NaiveFloat4 || variant == KernelVariant::TiledFloat4;
}

std::string_view kernelVariantName(KernelVariant variant);
std::optional<KernelVariant> kernelVariantNamed(std::string_view name); // without options

// What the planner must know of a device. The defaults are the guarantees of compute capability 7.5, the smallest
// supported, so that a plan made without a device runs on any.
struct DeviceLimits {
    std::size_t sharedBytesPerBlock = 64 * 1024; // opt-in maximum
    int threadsPerBlock = 1024;
    int multiprocessors = 40;
    int maximumGridY = 65535;
    int computeCapability = 75; // major * 10 + minor
};

// What runs as `blocked`. The plan decides and the launch obeys; only where rows or taps are none that a form takes,
// which no plan knows, it falls back on patches or, for kernels that they do not reach, on tiled-float4.
enum class BlockedForm : std::uint8_t {
    Patches,      // kernels that reach at most 3 pixels from their origin
    SmallPatches, // the same for pictures that those would leave a GPU half empty with
    Tiles,        // of floats, small kernels: one copy fetches what a block reads (gpu/kernels/fetched_tile.h)
    March,        // of floats, larger kernels: strips that a block walks down
    LevelTiles,   // of bytes: one copy fetches what a warp reads
    HalfTiles     // of halves: the same
};

struct LaunchPlan {
    KernelVariant variant = KernelVariant::Naive;
    Extent grid;
    Extent block;
    std::size_t sharedBytes = 0;
    int outputsPerThread = 1;                // side by side
    int rowsPerThread = 1;                   // one above the other
    BlockedForm form = BlockedForm::Patches; // of blocked

    Extent tile() const { return {block.x * outputsPerThread, block.y * rowsPerThread}; } // outputs of a block
    Extent tilesOver(int width, int height) const { // a grid that makes all outputs
        return {ceilDivide(width, tile().x), ceilDivide(height, tile().y)};
    }
    std::int64_t blocks() const { return std::int64_t(grid.x) * grid.y; }
    std::int64_t threads() const { return blocks() * block.area(); }
    // Threads that have none of the `width` x `height` outputs.
    std::int64_t idleThreads(int width, int height) const {
        return threads() - std::int64_t(ceilDivide(width, outputsPerThread)) * ceilDivide(height, rowsPerThread);
    }

    friend bool operator==(const LaunchPlan &, const LaunchPlan &) = default;
};

std::string toString(const LaunchPlan &plan);

// What the planner must know of a convolution.
struct ConvolutionShape {
    int width = 0; // of the output
    int height = 0;
    int tapsWidth = 1;
    int tapsHeight = 1;
    int scalarBytes = 4;   // of the source: 1, 2 or 4
    int channels = 1;      // 1 or 4
    int centredSide = 0;   // of the smallest odd square around the origin that holds the taps; 0: origin in the middle
    bool eightBit = false; // source and target alike
    int terms = 0;         // of the taps as a sum of separable ones (gpu/model/factors.h); 0: not known
    bool half = false;     // source and target are halves
    bool converting = false; // the target's pixels are of another type than the source's

    // The centred square that blocked embeds the taps in.
    int squareSide() const { return centredSide > 0 ? centredSide : std::max({tapsWidth | 1, tapsHeight | 1, 3}); }
};

struct PlanResult {
    LaunchPlan plan;
    std::string refusal; // empty where the plan can run; else why not, a sentence without a final stop
};

PlanResult planConvolution(KernelVariant variant, const ConvolutionShape &shape, const DeviceLimits &limits);

// Why taps of that shape do not travel with a launch (Taps); empty where they do.
std::string tapsRefusal(const ConvolutionShape &shape);

// blocked, as patches, whatever form it has for that shape; refused for kernels that they do not reach.
PlanResult planPatches(const ConvolutionShape &shape);

// As small patches: of one channel, 8-bit or float, to the same type (how small: tests/bench/gpu-notes.md). Refused for
// others.
PlanResult planSmallPatches(const ConvolutionShape &shape);

// The same with the output's statistics. The ladder's variants (gpu/kernels/with_statistics.h): blocks of at most 256
// threads that stay and share `tiles` out; `extra` is what they take of shared memory on top. blocked
// (gpu/kernels/tile_statistics.h): a block a tile, then a second launch. The other tuned ones make none.
struct FusedPlan {
    LaunchPlan plan;
    Extent tiles; // of the ladder's variants
    std::string refusal;
    int partialRows = 0;          // of totals that come out
    std::size_t scratchBytes = 0; // of memory that the launches want besides
};
FusedPlan planWithStatistics(KernelVariant variant, const ConvolutionShape &shape, std::size_t extra,
                             const DeviceLimits &limits);

// One-dimensional: `count` elements, one a thread. Ceiling division: every element gets a thread.
LaunchPlan planElements(std::int64_t count, int threadsPerBlock);

} // namespace tessera
