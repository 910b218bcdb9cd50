// A device that the tests of plans lay kernels out for.
#pragma once

#include "gpu/launch/plan.h"

namespace tessera::test {

// An H200's.
inline DeviceLimits largeDevice() {
    DeviceLimits limits;
    limits.sharedBytesPerBlock = 227 * 1024;
    limits.multiprocessors = 132;
    limits.computeCapability = 90;
    return limits;
}

} // namespace tessera::test
