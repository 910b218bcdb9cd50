#include "app/session/thin_alpha.h"

#include "app/core/thread_pool.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

namespace tessera {

namespace {

// Relative to opaque. From here on the division makes at most eight of the sums' rounding, three bits. Below, computing
// again is soon done, save in pictures that are thin all over: there it is a direct convolution of the whole.
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

// Which blocks of the picture hold any alpha, so that each value is looked at once, however far kernels reach.
class AlphaBlocks {
public:
    AlphaBlocks(const ConstPixelView &plane, const Rectangle &area, const RunControl &control)
        : columns_(blocks(plane.width)), holds_(std::size_t(columns_) * std::size_t(blocks(plane.height))) {
        const int first = area.y / blockSide, last = (area.y + area.height - 1) / blockSide;
        ThreadPool::shared().parallelFor(std::size_t(last - first + 1), [&](std::size_t row) {
            control.checkpoint();
            const int block = first + int(row);
            const int top = std::max(area.y, block * blockSide);
            const int bottom = std::min(area.y + area.height, (block + 1) * blockSide);
            for (int y = top; y < bottom; ++y)
                for (int x = area.x; x < area.x + area.width; ++x)
                    if (plane.row<float>(y)[x] != 0.0f)
                        holds_[std::size_t(block * columns_ + x / blockSide)] = 1;
        });
    }

    // True as well where it is in a block that `reach` only touches.
    bool anyIn(const Rectangle &reach) const {
        for (int y = reach.y / blockSide; y <= (reach.y + reach.height - 1) / blockSide; ++y)
            for (int x = reach.x / blockSide; x <= (reach.x + reach.width - 1) / blockSide; ++x)
                if (holds_[std::size_t(y * columns_ + x)] != 0)
                    return true;
        return false;
    }

private:
    static int blocks(int length) { return (length + blockSide - 1) / blockSide; }

    int columns_;
    std::vector<std::uint8_t> holds_;
};

// Neighbours in a row of blocks become one: their halos are shared.
void append(std::vector<Rectangle> &parts, const Rectangle &block) {
    if (!parts.empty() && parts.back().y == block.y && parts.back().x + parts.back().width == block.x)
        parts.back().width += block.width;
    else
        parts.push_back(block);
}

} // namespace

ThinParts findThinParts(const StepPlan &plan, const ConstPixelView &alpha, const Rectangle &region, float maximum,
                        const ConstPixelView &plane, const RunControl &control) {
    const auto reachOf = [&](const Rectangle &part) { return neededArea(plan, part, plane.width, plane.height); };
    std::optional<AlphaBlocks> holding;
    if (plan.alpha == AlphaPlan::Weighted)
        holding.emplace(plane, reachOf(region), control);
    const auto hasAlphaInReach = [&](const Rectangle &part) {
        return !holding || readsConstant(plan, part, plane.width, plane.height) || holding->anyIn(reachOf(part));
    };
    ThinParts all;
    std::mutex mutex;
    const std::size_t rows = std::size_t((region.height + blockSide - 1) / blockSide);
    ThreadPool::shared().parallelFor(rows, [&](std::size_t row) {
        control.checkpoint();
        ThinParts own;
        const int y = int(row) * blockSide;
        for (int x = 0; x < region.width; x += blockSide) {
            const Rectangle inRegion{x, y, std::min(blockSide, region.width - x),
                                     std::min(blockSide, region.height - y)};
            if (!anyOf(alpha.part(inRegion), [&](float value) { return isThin(plan, value, maximum); }))
                continue;
            const Rectangle block{region.x + x, region.y + y, inRegion.width, inRegion.height};
            append(hasAlphaInReach(block) ? own.some : own.none, block);
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
