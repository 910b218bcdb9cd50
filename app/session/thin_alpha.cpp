#include "app/session/thin_alpha.h"

#include "app/core/thread_pool.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace tessera {

namespace {

// Relative to opaque. From here on the division makes at most eight of the sums' rounding, three bits; below, computing
// again costs less than it is worth only in pictures that are thin all over.
constexpr float leastThickAlpha = 0.125f;

constexpr int blockSide = 64; // small enough to follow the edge of what is opaque

// By its own alpha a pixel is divided as the picture has it, and not at all where that is 0.
bool isThin(const StepPlan &plan, float alpha, float maximum) {
    return std::fabs(alpha) < leastThickAlpha * maximum && (alpha != 0.0f || plan.alpha == AlphaPlan::Weighted);
}

template <class Test> bool anyOf(const ConstPixelView &part, const Test &test) {
    for (int y = 0; y < part.height; ++y)
        if (const float *row = part.row<float>(y); std::any_of(row, row + part.width, test))
            return true;
    return false;
}

// A constant border lies outside as an opaque colour.
bool readsConstant(const StepPlan &plan, const Rectangle &part, int width, int height) {
    return plan.border.mode == BorderMode::Constant &&
           std::ranges::any_of(plan.kernels, [&](const ConvolutionKernel &kernel) {
               const int left = part.x - kernel.anchorX, top = part.y - kernel.anchorY;
               return left < 0 || top < 0 || left + part.width + kernel.width - 1 > width ||
                      top + part.height + kernel.height - 1 > height;
           });
}

bool hasAlphaInReach(const StepPlan &plan, const Rectangle &part, const ConstPixelView &plane) {
    if (plan.alpha != AlphaPlan::Weighted || readsConstant(plan, part, plane.width, plane.height))
        return true;
    const Rectangle reach = neededArea(plan, part, plane.width, plane.height);
    return anyOf(plane.part(reach), [](float value) { return value != 0.0f; });
}

// Neighbours in a row of blocks become one: their halos are shared.
void append(std::vector<Rectangle> &parts, const Rectangle &block) {
    if (!parts.empty() && parts.back().y == block.y && parts.back().x + parts.back().width == block.x)
        parts.back().width += block.width;
    else
        parts.push_back(block);
}

} // namespace

ThinParts findThinParts(const StepPlan &plan, const ConstPixelView &alpha, const Rectangle &region, float maximum,
                        const ConstPixelView &plane) {
    ThinParts all;
    std::mutex mutex;
    const std::size_t rows = std::size_t((region.height + blockSide - 1) / blockSide);
    ThreadPool::shared().parallelFor(rows, [&](std::size_t row) {
        ThinParts own;
        const int y = int(row) * blockSide;
        for (int x = 0; x < region.width; x += blockSide) {
            const Rectangle inRegion{x, y, std::min(blockSide, region.width - x),
                                     std::min(blockSide, region.height - y)};
            if (!anyOf(alpha.part(inRegion), [&](float value) { return isThin(plan, value, maximum); }))
                continue;
            const Rectangle block{region.x + x, region.y + y, inRegion.width, inRegion.height};
            append(hasAlphaInReach(plan, block, plane) ? own.some : own.none, block);
        }
        const std::lock_guard lock(mutex);
        all.some.insert(all.some.end(), own.some.begin(), own.some.end());
        all.none.insert(all.none.end(), own.none.begin(), own.none.end());
    });
    return all;
}

void replaceThin(const StepPlan &plan, float maximum, const ConstPixelView &exactColours,
                 const ConstPixelView &exactAlpha, const PixelView &colours, const PixelView &alpha) {
    const std::size_t channels = std::size_t(colours.format.channels);
    for (int y = 0; y < colours.height; ++y) {
        const float *from = exactColours.row<float>(y);
        float *to = colours.row<float>(y);
        float *weights = alpha.row<float>(y);
        for (std::size_t x = 0; x < std::size_t(colours.width); ++x) {
            if (!isThin(plan, weights[x], maximum))
                continue;
            std::copy_n(from + x * channels, channels, to + x * channels);
            if (plan.alpha == AlphaPlan::Weighted)
                weights[x] = exactAlpha.row<float>(y)[x];
        }
    }
}

} // namespace tessera
