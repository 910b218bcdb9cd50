// What every test on a real GPU begins with.
#pragma once

#include "gpu/device/properties.h"

#include <string>

namespace tessera::test {

// Why the tests of a program are skipped; empty where there is a device, of at least `computeCapability` (90: 9.0).
inline std::string whyNoDevice(int computeCapability = 0) {
    const cuda::DeviceList list = cuda::findDevices();
    if (list.devices.empty())
        return "skipped: no CUDA device (" + list.reason + ")";
    if (list.devices.front().limits.computeCapability < computeCapability)
        return "skipped: no CUDA device of compute capability " + std::to_string(computeCapability / 10) + "." +
               std::to_string(computeCapability % 10);
    return {};
}

} // namespace tessera::test
