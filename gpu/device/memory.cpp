#include "gpu/device/memory.h"

#include <stdexcept>
#include <string>

namespace tessera::cuda {

CudaError::CudaError(cudaError_t code, const char *call)
    : std::runtime_error(std::string(cudaGetErrorString(code)) + " (" + cudaGetErrorName(code) + ") from " + call),
      code_(code) {}

bool CudaError::sticky() const noexcept {
    switch (code_) {
    case cudaErrorMemoryAllocation:
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorNotReady:
    case cudaErrorInvalidDevice:
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorLaunchOutOfResources:
        return false; // the context survives these
    default:
        return true;
    }
}

bool Event::reached() const {
    const cudaError_t code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady)
        return false;
    check(code, "cudaEventQuery");
    return true;
}

double Event::millisecondsSince(const Event &start) const {
    float milliseconds = 0;
    TESSERA_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start.event_, event_));
    return milliseconds;
}

void *DeviceBuffer::reserve(std::size_t bytes) {
    if (bytes > capacity_) {
        release();
        TESSERA_CUDA_CHECK(cudaMalloc(&data_, bytes));
        capacity_ = bytes;
    }
    return data_;
}

void DeviceBuffer::release() noexcept {
    if (data_)
        checkQuietly(cudaFree(data_));
    data_ = nullptr;
    capacity_ = 0;
}

std::byte *PinnedBuffer::reserve(std::size_t bytes) {
    if (bytes > capacity_) {
        release();
        void *data = nullptr;
        TESSERA_CUDA_CHECK(cudaMallocHost(&data, bytes));
        data_ = static_cast<std::byte *>(data);
        capacity_ = bytes;
    }
    return data_;
}

void PinnedBuffer::release() noexcept {
    if (data_)
        checkQuietly(cudaFreeHost(data_));
    data_ = nullptr;
    capacity_ = 0;
}

} // namespace tessera::cuda
