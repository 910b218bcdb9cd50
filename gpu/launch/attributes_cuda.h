// From the runtime's attributes of a function to ours.
#pragma once

#include "gpu/launch/attributes.h"

#include <cuda_runtime.h>

namespace tessera::cuda {

// All but blocksPerMultiprocessor, which depends on the launch.
inline KernelAttributes attributesOf(const cudaFuncAttributes &loaded) {
    KernelAttributes attributes;
    attributes.registers = loaded.numRegs;
    attributes.staticSharedBytes = loaded.sharedSizeBytes;
    attributes.localBytes = loaded.localSizeBytes;
    attributes.constantBytes = loaded.constSizeBytes;
    attributes.maximumThreads = loaded.maxThreadsPerBlock;
    attributes.binaryVersion = loaded.binaryVersion;
    return attributes;
}

} // namespace tessera::cuda
