#include "app/session/chain_run.h"

#include <algorithm>
#include <cstring>

namespace tessera {

namespace {

// In 64 bits, since an area from a file may hold anything.
Rectangle common(const Rectangle &a, const Rectangle &b) {
    const std::int64_t left = std::max(a.x, b.x), top = std::max(a.y, b.y);
    const std::int64_t right = std::min(std::int64_t(a.x) + a.width, std::int64_t(b.x) + b.width);
    const std::int64_t bottom = std::min(std::int64_t(a.y) + a.height, std::int64_t(b.y) + b.height);
    if (right <= left || bottom <= top)
        return {};
    return {int(left), int(top), int(right - left), int(bottom - top)};
}

void paste(const ConstPixelView &part, const PixelView &target) {
    const std::size_t bytes = std::size_t(part.width) * std::size_t(part.format.bytesPerPixel());
    for (int y = 0; y < part.height; ++y)
        std::memcpy(target.row<std::byte>(y), part.row<std::byte>(y), bytes);
}

} // namespace

Rectangle areaWithin(const Chain &chain, int width, int height) {
    return chain.area ? common(*chain.area, {0, 0, width, height}) : Rectangle{};
}

std::optional<FilterStep> onlyStep(const Chain &chain) {
    const auto enabled = [](const FilterStep &step) { return step.enabled; };
    if (std::count_if(chain.steps.begin(), chain.steps.end(), enabled) != 1)
        return std::nullopt;
    return *std::find_if(chain.steps.begin(), chain.steps.end(), enabled);
}

Image filterPicture(const Image &source, const Chain &chain, const EngineChoice &choice, const RunControl &control,
                    PipelineTimes *times) {
    return filterRegion(source, source.view().bounds(), chain, choice, control, times);
}

Image filterRegion(const Image &source, const Rectangle &region, const Chain &chain, const EngineChoice &choice,
                   const RunControl &control, PipelineTimes *times) {
    if (!chain.area)
        return runPipelineRegion(source, region, chain.steps, choice, chain.depth, control, times);
    const RunControl silent{control.stop, {}}; // progress is the filter's
    Image result = runPipelineRegion(source, region, {}, choice, chain.depth, silent, times);
    const Rectangle inside = common(areaWithin(chain, source.width(), source.height()), region);
    if (inside.empty())
        return result;
    const Image part = runPipelineRegion(source, inside, chain.steps, choice, chain.depth, control, times);
    paste(part.view(), result.view().part({inside.x - region.x, inside.y - region.y, inside.width, inside.height}));
    return result;
}

} // namespace tessera
