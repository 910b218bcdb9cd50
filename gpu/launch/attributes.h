// What the compiler made of a kernel for this GPU, as the driver loaded it.
#pragma once

#include "gpu/launch/convolution.h"

#include <cstddef>

namespace tessera::cuda {

struct KernelAttributes {
    int registers = 0;                 // a thread
    std::size_t staticSharedBytes = 0; // a block; the plan's shared bytes come on top
    std::size_t localBytes = 0;        // a thread: arrays and spilled registers that went to memory
    std::size_t constantBytes = 0;
    int maximumThreads = 0;          // a block
    int blocksPerMultiprocessor = 0; // of this plan, by the runtime's own reckoning
    int binaryVersion = 0;           // 90: compiled for compute capability 9.0
};

// Of the kernel that launchConvolution() would launch: loads it and launches nothing. Of the request only the types,
// the channels and the taps' size count. Throws CudaError where there is no device, or the kernel has no code for it.
KernelAttributes kernelAttributes(const LaunchPlan &plan, const ConvolutionRequest &request);

// The same by the kernel's types alone. `channels`: 1 or 4.
KernelAttributes kernelAttributes(KernelVariant variant, ScalarType source, ScalarType target, int channels);

} // namespace tessera::cuda
