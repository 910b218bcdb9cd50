// Pictures in host memory for engines: as many sets of source and target as it takes for one to have left the caches
// when its turn comes again.
#pragma once

#include "app/bench/workload.h"

#include <cstddef>
#include <vector>

namespace tessera::bench {

// Sets that a cold run takes turns over: between two uses of one, four times the cache's size passes through others.
// At least 2; fewer than that takes where they would fill more than a quarter of the memory that is free.
int coldSets(std::size_t bytesOfSet, std::size_t cacheBytes, std::size_t freeBytes);

class HostPictures {
public:
    // Float for pixels of halves.
    HostPictures(const PixelKind &pixel, int width, int height, bool cold, bool withTargets = true);

    int count() const { return int(sources_.size()); }
    ConstPixelView source(int set) const { return sources_[std::size_t(set)].view(); }
    PixelView target(int set) { return targets_[std::size_t(set)].view(); }
    void load(const PixelBlock &picture);

private:
    std::vector<Image> sources_, targets_;
    const PixelBlock *loaded_ = nullptr;
};

} // namespace tessera::bench
