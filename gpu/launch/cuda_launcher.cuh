// The launcher: a kernel struct becomes a __global__ function's only parameter.
#pragma once

#include "gpu/device/check.h"
#include "gpu/launch/device_block.h"
#include "gpu/launch/plan.h"

namespace tessera::cuda {

// The most threads a block of this kernel has: what a kernel says, else what any GPU allows. The fewer there are, the
// more registers the compiler may give each.
template <class Kernel> constexpr int maximumThreads() {
    if constexpr (requires { Kernel::maximumThreads; })
        return Kernel::maximumThreads;
    else
        return 1024;
}

// Left to itself (0), CUDA 13's compiler keeps a kernel to 32 or 40 registers for the sake of full occupancy, and
// spills what does not fit. A kernel that says 1 gets the registers that it needs.
template <class Kernel> constexpr int minimumBlocks() {
    if constexpr (requires { Kernel::minimumBlocks; })
        return Kernel::minimumBlocks;
    else
        return 0;
}

template <class Kernel>
__global__ void __launch_bounds__(maximumThreads<Kernel>(), minimumBlocks<Kernel>())
    runKernel(const __grid_constant__ Kernel kernel) {
    DeviceBlock block;
    kernel(block);
}

class CudaLauncher {
public:
    explicit CudaLauncher(cudaStream_t stream) : stream_(stream) {}

    template <class Kernel> void launch(const LaunchPlan &plan, const Kernel &kernel) const {
        constexpr std::size_t withoutOptIn = 48 * 1024;
        if (plan.sharedBytes > withoutOptIn)
            TESSERA_CUDA_CHECK(cudaFuncSetAttribute(runKernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    int(plan.sharedBytes)));
        const dim3 grid(unsigned(plan.grid.x), unsigned(plan.grid.y));
        const dim3 block(unsigned(plan.block.x), unsigned(plan.block.y));
        runKernel<<<grid, block, plan.sharedBytes, stream_>>>(kernel);
        TESSERA_CUDA_CHECK(cudaGetLastError());
    }

private:
    cudaStream_t stream_;
};

} // namespace tessera::cuda
