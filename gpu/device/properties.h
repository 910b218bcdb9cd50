// The CUDA devices of this machine.
#pragma once

#include "gpu/launch/plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::cuda {

struct DeviceProperties {
    int index = 0;
    std::string name;
    int computeMajor = 0, computeMinor = 0;
    std::uint64_t memoryBytes = 0;
    int multiprocessors = 0;
    int l2Bytes = 0;
    DeviceLimits limits;
};

struct DeviceList {
    std::vector<DeviceProperties> devices;
    std::string reason; // why there are none: no driver, driver too old, no device; empty where there are some
};

// Never throws: a machine without a driver has no devices.
DeviceList findDevices();

// Throws CudaError where there is no device.
DeviceLimits limitsOfCurrentDevice();

} // namespace tessera::cuda
