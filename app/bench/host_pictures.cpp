#include "app/bench/host_pictures.h"

#include "app/bench/system_memory.h"
#include "app/core/thread_pool.h"

#include <algorithm>
#include <cstring>

namespace tessera::bench {

int coldSets(std::size_t bytesOfSet, std::size_t cacheBytes, std::size_t freeBytes) {
    const std::size_t wanted = 1 + (4 * cacheBytes + bytesOfSet - 1) / std::max<std::size_t>(bytesOfSet, 1);
    const std::size_t affordable = freeBytes / 4 / std::max<std::size_t>(bytesOfSet, 1);
    return int(std::clamp<std::size_t>(std::min(wanted, affordable), 2, 65536));
}

HostPictures::HostPictures(const PixelKind &pixel, int width, int height, bool cold, bool withTargets) {
    const PixelFormat format{depthOf(pixel.type), pixel.channels};
    const std::size_t bytes =
        (withTargets ? 2 : 1) * std::size_t(width) * std::size_t(height) * std::size_t(format.bytesPerPixel());
    const int sets = cold ? coldSets(bytes, lastLevelCacheBytes(), freeHostMemory()) : 1;
    for (int i = 0; i < sets; ++i) {
        sources_.emplace_back(width, height, format);
        if (!withTargets)
            continue;
        targets_.emplace_back(width, height, format);
        std::memset(targets_.back().view().data, 0, targets_.back().bytes()); // so that its pages are there
    }
}

void HostPictures::load(const PixelBlock &picture) {
    if (loaded_ == &picture)
        return;
    loaded_ = &picture;
    sources_.front() = imageOf(picture);
    for (std::size_t i = 1; i < sources_.size(); ++i)
        std::memcpy(sources_[i].view().data, sources_.front().view().data, sources_.front().bytes());
}

} // namespace tessera::bench
