// What everything measured on one CUDA device shares: its stream and the clock on it. Includes CUDA.
#pragma once

#include "app/engines/speed_store.h"
#include "gpu/device/properties.h"
#include "gpu/measure/core_clock.h"
#include "gpu/measure/peaks.h"

#include <optional>

namespace tessera::bench {

class DeviceSession {
public:
    explicit DeviceSession(const cuda::DeviceProperties &device)
        : properties(device), stream_(makeStream(device)), clock_(device.limits.multiprocessors) {}

    const cuda::DeviceProperties properties;
    const SpeedTable speeds = SpeedStore().load(properties.name); // what the planner goes by

    cuda::StreamView stream() const { return stream_.view(); }
    void synchronize() const { stream_.synchronize(); }

    // CUDA calls go to the thread's current device.
    void makeCurrent() const { TESSERA_CUDA_CHECK(cudaSetDevice(properties.index)); }

    // Milliseconds on the device of what `queue()` puts on the stream. The stream waits until all of it is queued, so
    // that a slow host is not taken for a slow device.
    template <class Queue> double measure(Queue &&queue) {
        gate_.close(stream());
        try {
            clock_.start(stream());
            start_.record(stream());
            queue();
            end_.record(stream());
            clock_.stop(stream());
        } catch (...) {
            gate_.open();
            throw;
        }
        gate_.open();
        synchronize();
        return end_.millisecondsSince(start_);
    }
    // MHz of the multiprocessors while that lasted.
    std::optional<double> clockMhz() const { return clock_.mhz(); }

private:
    static cuda::Stream makeStream(const cuda::DeviceProperties &device) {
        TESSERA_CUDA_CHECK(cudaSetDevice(device.index));
        return {};
    }

    cuda::Stream stream_;
    cuda::Event start_, end_;
    cuda::CoreClock clock_;
    cuda::Gate gate_;
};

inline constexpr double eventResolutionMs = 0.5e-3; // as the runtime states it

} // namespace tessera::bench
