#include "app/image/sample_mask.h"

#include "app/core/thread_pool.h"

#include <bit>
#include <cmath>

namespace tessera {

namespace {

// By the bits of the exponent, without a branch, so that the compiler makes vectors of it.
bool allFinite(const float *values, int count) {
    constexpr std::uint32_t exponent = 0x7f800000u;
    unsigned found = 0;
    for (int i = 0; i < count; ++i)
        found |= (std::bit_cast<std::uint32_t>(values[i]) & exponent) == exponent ? 1u : 0u;
    return found == 0;
}

} // namespace

SampleMask SampleMask::part(const Rectangle &area) const {
    if (empty())
        return {};
    SampleMask result(area.width, area.height);
    for (int y = 0; y < area.height; ++y)
        std::copy_n(row(area.y + y) + area.x, area.width, result.row(y));
    return result;
}

SampleMask nonfiniteSamples(const ConstPixelView &picture) {
    if (picture.format.depth != Depth::F32)
        return {};
    const int channels = picture.format.channels;
    std::vector<std::uint8_t> marked(std::size_t(picture.height), 0); // rows with any
    ThreadPool::shared().parallelFor(marked.size(), [&](std::size_t y) {
        marked[y] = !allFinite(picture.row<float>(int(y)), picture.width * channels);
    });
    if (std::ranges::find(marked, 1) == marked.end())
        return {};
    SampleMask mask(picture.width, picture.height);
    ThreadPool::shared().parallelFor(marked.size(), [&](std::size_t y) {
        if (marked[y] == 0)
            return;
        const float *sample = picture.row<float>(int(y));
        std::uint8_t *bits = mask.row(int(y));
        for (int x = 0; x < picture.width; ++x)
            for (int channel = 0; channel < channels; ++channel)
                bits[x] = std::uint8_t(bits[x] | (std::isfinite(*sample++) ? 0 : 1 << channel));
    });
    return mask;
}

} // namespace tessera
