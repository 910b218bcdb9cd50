// Owners of device and pinned memory, streams and events. Kernels and planners never see these, only views.
#pragma once

#include "gpu/device/check.h"

#include <cstddef>
#include <utility>

namespace tessera::cuda {

// Not an owner: what functions take.
using StreamView = cudaStream_t;

class Stream {
public:
    Stream() { TESSERA_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    ~Stream() {
        if (stream_)
            checkQuietly(cudaStreamDestroy(stream_));
    }
    Stream(Stream &&other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
    Stream &operator=(Stream &&other) noexcept {
        std::swap(stream_, other.stream_);
        return *this;
    }
    StreamView view() const { return stream_; }
    void synchronize() const { TESSERA_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

private:
    cudaStream_t stream_ = nullptr;
};

// Marks a point in a stream; two of them measure the time between.
class Event {
public:
    Event() { TESSERA_CUDA_CHECK(cudaEventCreate(&event_)); }
    ~Event() {
        if (event_)
            checkQuietly(cudaEventDestroy(event_));
    }
    Event(Event &&other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    Event &operator=(Event &&other) noexcept {
        std::swap(event_, other.event_);
        return *this;
    }
    void record(StreamView stream) { TESSERA_CUDA_CHECK(cudaEventRecord(event_, stream)); }
    bool reached() const;                               // without waiting
    double millisecondsSince(const Event &start) const; // waits for neither: both must have been reached

private:
    cudaEvent_t event_ = nullptr;
};

// Device memory that only grows: a workspace reused from call to call. Contents are lost when it grows. Allocations are
// 256-byte aligned.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    ~DeviceBuffer() { release(); }
    DeviceBuffer(DeviceBuffer &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
    DeviceBuffer &operator=(DeviceBuffer &&other) noexcept {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }

    void *reserve(std::size_t bytes);
    void *data() const { return data_; }
    std::size_t capacity() const { return capacity_; }
    void release() noexcept;

private:
    void *data_ = nullptr;
    std::size_t capacity_ = 0;
};

// Host memory that the device copies from and to directly.
class PinnedBuffer {
public:
    PinnedBuffer() = default;
    ~PinnedBuffer() { release(); }
    PinnedBuffer(PinnedBuffer &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
    PinnedBuffer &operator=(PinnedBuffer &&other) noexcept {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }

    std::byte *reserve(std::size_t bytes);
    std::byte *data() const { return data_; }
    void release() noexcept;

private:
    std::byte *data_ = nullptr;
    std::size_t capacity_ = 0;
};

} // namespace tessera::cuda
