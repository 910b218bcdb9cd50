#include "gpu/device/properties.h"

#include "gpu/device/check.h"

namespace tessera::cuda {

namespace {

std::string reasonFor(cudaError_t code) {
    switch (code) {
    case cudaErrorInsufficientDriver:
        return "no NVIDIA driver, or one older than CUDA " + std::to_string(CUDART_VERSION / 1000) + " needs";
    case cudaErrorNoDevice:
        return "no CUDA device";
    default:
        return cudaGetErrorString(code);
    }
}

} // namespace

DeviceList findDevices() {
    DeviceList list;
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code != cudaSuccess || count == 0) {
        list.reason = reasonFor(code == cudaSuccess ? cudaErrorNoDevice : code);
        checkQuietly(cudaGetLastError()); // leave no error behind for the next call
        return list;
    }
    for (int index = 0; index < count; ++index) {
        cudaDeviceProp properties{};
        if (cudaGetDeviceProperties(&properties, index) != cudaSuccess)
            continue;
        DeviceProperties device;
        device.index = index;
        device.name = properties.name;
        device.computeMajor = properties.major;
        device.computeMinor = properties.minor;
        device.memoryBytes = properties.totalGlobalMem;
        device.multiprocessors = properties.multiProcessorCount;
        device.l2Bytes = properties.l2CacheSize;
        device.limits.sharedBytesPerBlock = properties.sharedMemPerBlockOptin;
        device.limits.threadsPerBlock = properties.maxThreadsPerBlock;
        device.limits.multiprocessors = properties.multiProcessorCount;
        device.limits.maximumGridY = properties.maxGridSize[1];
        device.limits.computeCapability = properties.major * 10 + properties.minor;
        list.devices.push_back(device);
    }
    return list;
}

// Asked attribute by attribute, and once as long as a thread keeps to its device: launches ask for them each time.
DeviceLimits limitsOfCurrentDevice() {
    thread_local int known = -1;
    thread_local DeviceLimits limits;
    int device = 0;
    TESSERA_CUDA_CHECK(cudaGetDevice(&device));
    if (device == known)
        return limits;
    const auto ask = [device](cudaDeviceAttr attribute) {
        int value = 0;
        TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, device));
        return value;
    };
    known = -1; // until all are there
    limits.sharedBytesPerBlock = std::size_t(ask(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    limits.threadsPerBlock = ask(cudaDevAttrMaxThreadsPerBlock);
    limits.multiprocessors = ask(cudaDevAttrMultiProcessorCount);
    limits.maximumGridY = ask(cudaDevAttrMaxGridDimY);
    limits.computeCapability = 10 * ask(cudaDevAttrComputeCapabilityMajor) + ask(cudaDevAttrComputeCapabilityMinor);
    known = device;
    return limits;
}

} // namespace tessera::cuda
