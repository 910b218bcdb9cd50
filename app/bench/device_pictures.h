// Sets of source and target on a device, taken turns over when cold. Includes CUDA.
#pragma once

#include "app/bench/device_session.h"
#include "app/bench/workload.h"
#include "gpu/launch/convolution.h"

#include <memory>
#include <vector>

namespace tessera::bench {

class DevicePictures {
public:
    // Throws CudaError where there is no memory for even one set (two where `cold`).
    DevicePictures(std::shared_ptr<DeviceSession> session, const PixelKind &pixel, int width, int height, bool cold,
                   bool withTargets = true);

    int count() const { return int(sets_.size()); }
    RawView source(int set) { return viewOf(sets_[std::size_t(set)].source); }
    RawView target(int set) { return viewOf(sets_[std::size_t(set)].target); }

    void load(const PixelBlock &picture); // into all sources
    void poison(std::byte value);         // all bytes of target 0
    void fetch(PixelBlock &result);       // target 0

private:
    struct Set {
        cuda::DeviceBuffer source, target;
    };

    RawView viewOf(const cuda::DeviceBuffer &buffer) const;

    std::shared_ptr<DeviceSession> session_;
    PixelKind pixel_;
    int width_, height_;
    std::size_t pitch_;
    std::vector<Set> sets_;
    const PixelBlock *loaded_ = nullptr;
};

} // namespace tessera::bench
