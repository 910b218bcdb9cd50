// cuDNN's graph interface, as much of it as one forward convolution takes: descriptors with an owner, and the plans
// that cuDNN's heuristics propose for a job.
#pragma once

#include "gpu/device/memory.h"
#include "gpu/peers/library.h"

#include <array>
#include <cstdint>
#include <cudnn.h>
#include <memory>
#include <span>
#include <vector>

namespace tessera::cuda {

struct CudnnApi {
    peers::OpenLibrary library;
    decltype(&cudnnCreate) create = nullptr;
    decltype(&cudnnDestroy) destroy = nullptr;
    decltype(&cudnnSetStream) setStream = nullptr;
    decltype(&cudnnGetVersion) version = nullptr;
    decltype(&cudnnGetErrorString) errorString = nullptr;
    decltype(&cudnnBackendCreateDescriptor) createDescriptor = nullptr;
    decltype(&cudnnBackendDestroyDescriptor) destroyDescriptor = nullptr;
    decltype(&cudnnBackendSetAttribute) setAttribute = nullptr;
    decltype(&cudnnBackendGetAttribute) getAttribute = nullptr;
    decltype(&cudnnBackendFinalize) finalize = nullptr;
    decltype(&cudnnBackendExecute) execute = nullptr;
};
const CudnnApi &cudnn();

// Throws PeerError.
void checkCudnn(cudnnStatus_t status, const char *call);

class CudnnHandle {
public:
    CudnnHandle();
    ~CudnnHandle();
    CudnnHandle(const CudnnHandle &) = delete;
    CudnnHandle &operator=(const CudnnHandle &) = delete;
    cudnnHandle_t get() const { return handle_; }

private:
    cudnnHandle_t handle_ = nullptr;
};

// Owns a backend descriptor.
class Descriptor {
public:
    explicit Descriptor(cudnnBackendDescriptorType_t type);
    ~Descriptor();
    Descriptor(Descriptor &&other) noexcept;
    Descriptor &operator=(Descriptor &&other) noexcept;

    void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int64_t count,
             const void *values);
    template <class T> void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const T &value) {
        set(name, type, 1, &value);
    }
    void set(cudnnBackendAttributeName_t name, std::span<const std::int64_t> values) {
        set(name, CUDNN_TYPE_INT64, std::int64_t(values.size()), values.data());
    }
    void set(cudnnBackendAttributeName_t name, const Descriptor &other) {
        set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.descriptor_);
    }
    void finalize();
    cudnnBackendDescriptor_t get() const { return descriptor_; }

private:
    cudnnBackendDescriptor_t descriptor_ = nullptr;
};

// A forward convolution of one input and one filter, cross-correlation: y = w * x with zeros outside x.
struct CudnnConvolution {
    cudnnDataType_t type = CUDNN_DATA_FLOAT;                                                // stored; sums are float32
    std::array<std::int64_t, 4> xSize{}, xStride{}, wSize{}, wStride{}, ySize{}, yStride{}; // N, C, H, W; in values
    std::array<std::int64_t, 2> padBefore{}, padAfter{};                                    // H, W
    std::int64_t alignment = 16; // bytes that all pointers are multiples of
    bool channelsLast = false;   // how the strides read; for one channel both readings name the same memory
};

// A plan with its notes, and what it was made from.
struct CudnnPlan {
    std::shared_ptr<const std::vector<Descriptor>> graph;
    Descriptor configuration;
    Descriptor plan;
    std::int64_t engine = 0;
    std::int64_t workspaceBytes = 0;
    bool channelsLast = false;
    std::vector<cudnnBackendNumericalNote_t> notes;

    bool has(cudnnBackendNumericalNote_t note) const;
};

// Every plan that the heuristics propose, the most promising first. Those that cannot be built here are left out.
std::vector<CudnnPlan> proposedPlans(const CudnnHandle &handle, const CudnnConvolution &convolution);

// The pointers of one run.
Descriptor variantPack(void *x, void *w, void *y, void *workspace);

} // namespace tessera::cuda
