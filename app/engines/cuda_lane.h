// What one call on a device needs at a time, kept for the calls to come. Includes CUDA.
#pragma once

#include "app/engines/cuda_staging.h"
#include "app/engines/device_bands.h"
#include "app/engines/kernel_variants.h"
#include "app/engines/spectrum_cache.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tessera {

// A stream, its workspace and the events that time it.
struct Lane {
    cuda::Stream stream;
    cuda::Event start, uploaded, checking, checked, computed, downloaded;
    cuda::DeviceBuffer raw, source, target, rawTarget;
    cuda::PinnedRing ring;
    cuda::DeviceBuffer totals;
    SpectrumCache spectrum;
};

inline RawView deviceImage(cuda::DeviceBuffer &buffer, int width, int height, PixelFormat format) {
    const std::ptrdiff_t pitch = devicePitch(width, format);
    return {buffer.reserve(std::size_t(pitch) * std::size_t(height)),
            width,
            height,
            pitch,
            scalarTypeOf(format.depth),
            format.channels};
}

// A job's pictures on the device: as they come and go, and as kernels take them; one and the same where that is alike.
struct LanePictures {
    RawView raw, source, target, rawTarget;
};

// Memory of the device can take some time to come: `pause` is called after each piece, which by itself is not much to
// wait for when cancelled.
template <class Pause>
LanePictures lanePictures(Lane &lane, const ConvolutionJob &job, const Rectangle &window, const Pause &pause) {
    const DeviceFormats as = deviceFormats(job);
    LanePictures on;
    on.raw = on.source = deviceImage(lane.raw, window.width, window.height, as.raw);
    pause();
    if (as.source != as.raw)
        on.source = deviceImage(lane.source, window.width, window.height, as.source);
    pause();
    on.target = on.rawTarget = deviceImage(lane.target, job.target.width, job.target.height, as.target);
    pause();
    if (as.rawTarget != as.target)
        on.rawTarget = deviceImage(lane.rawTarget, job.target.width, job.target.height, as.rawTarget);
    return on;
}

// Lanes that nobody uses at the moment.
class LanePool {
public:
    std::unique_ptr<Lane> take() {
        {
            const std::lock_guard lock(mutex_);
            if (!lanes_.empty()) {
                std::unique_ptr<Lane> lane = std::move(lanes_.back());
                lanes_.pop_back();
                return lane;
            }
        }
        return std::make_unique<Lane>();
    }
    void give(std::unique_ptr<Lane> lane) {
        const std::lock_guard lock(mutex_);
        lanes_.push_back(std::move(lane));
    }
    // Gives their memory back to the device.
    void clear() {
        std::vector<std::unique_ptr<Lane>> idle;
        const std::lock_guard lock(mutex_);
        idle.swap(lanes_);
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Lane>> lanes_;
};

} // namespace tessera
