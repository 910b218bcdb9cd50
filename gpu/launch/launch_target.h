// Where a launch goes: onto a stream, or nowhere, when only the kernel's attributes are asked for. The kernels are
// compiled once for both.
#pragma once

#include "gpu/device/memory.h"
#include "gpu/launch/attributes.h"

namespace tessera::cuda {

struct LaunchTarget {
    LaunchTarget(StreamView onto) : stream(onto) {}
    explicit LaunchTarget(KernelAttributes &wanted) : attributes(&wanted) {}

    StreamView stream = nullptr;
    KernelAttributes *attributes = nullptr; // filled instead of a launch
};

} // namespace tessera::cuda
