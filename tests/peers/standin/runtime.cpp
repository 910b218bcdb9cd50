// A stand-in for the CUDA runtime, as much of it as the peers call: device memory is host memory, and everything is
// done when it is queued. Sizes and attributes are made up.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace {

struct Mark {
    std::chrono::steady_clock::time_point time;
};

Mark *markOf(cudaEvent_t event) { return reinterpret_cast<Mark *>(event); }

} // namespace

extern "C" {

cudaError_t cudaMalloc(void **memory, std::size_t bytes) {
    *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(*memory, 0xcd, bytes); // poison
    return cudaSuccess;
}
cudaError_t cudaFree(void *memory) {
    std::free(memory);
    return cudaSuccess;
}
cudaError_t cudaMallocHost(void **memory, std::size_t bytes) { return cudaMalloc(memory, bytes); }
cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }
cudaError_t cudaMemcpy(void *to, const void *from, std::size_t bytes, cudaMemcpyKind) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
    return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemcpy2DAsync(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch, std::size_t width,
                              std::size_t height, cudaMemcpyKind, cudaStream_t) {
    for (std::size_t y = 0; y < height; ++y)
        std::memcpy(static_cast<char *>(to) + y * toPitch, static_cast<const char *>(from) + y * fromPitch, width);
    return cudaSuccess;
}
cudaError_t cudaMemset(void *memory, int value, std::size_t bytes) {
    std::memset(memory, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void *memory, int value, std::size_t bytes, cudaStream_t) {
    return cudaMemset(memory, value, bytes);
}
cudaError_t cudaMemGetInfo(std::size_t *left, std::size_t *all) {
    *left = *all = std::size_t(1) << 33;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
    *device = 0;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
    *properties = {};
    std::strcpy(properties->name, "stand-in");
    properties->major = 9;
    properties->maxThreadsPerBlock = 1024;
    properties->sharedMemPerBlockOptin = 64 * 1024;
    properties->multiProcessorCount = 1;
    properties->maxGridSize[1] = 65535;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int) {
    *value = 1;
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
    *stream = reinterpret_cast<cudaStream_t>(new Mark);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    delete reinterpret_cast<Mark *>(stream);
    return cudaSuccess;
}
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned *flags) {
    *flags = 0;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventCreate(cudaEvent_t *event) {
    *event = reinterpret_cast<cudaEvent_t>(new Mark);
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete markOf(event);
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    markOf(event)->time = std::chrono::steady_clock::now();
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
    *milliseconds = std::chrono::duration<float, std::milli>(markOf(end)->time - markOf(start)->time).count();
    return cudaSuccess;
}
const char *cudaGetErrorString(cudaError_t) { return "an error of the stand-in"; }
const char *cudaGetErrorName(cudaError_t) { return "stand-in"; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
}
