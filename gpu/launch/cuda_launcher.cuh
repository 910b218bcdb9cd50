// The launcher: a kernel struct becomes a __global__ function's only parameter.
#pragma once

#include "gpu/device/check.h"
#include "gpu/launch/attributes_cuda.h"
#include "gpu/launch/device_block.h"
#include "gpu/launch/launch_target.h"
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
    explicit CudaLauncher(const LaunchTarget &target) : target_(target) {}

    template <class Kernel> void launch(const LaunchPlan &plan, const Kernel &kernel) const {
        constexpr std::size_t withoutOptIn = 48 * 1024;
        if (plan.sharedBytes > withoutOptIn)
            TESSERA_CUDA_CHECK(cudaFuncSetAttribute(runKernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                    int(plan.sharedBytes)));
        if (target_.attributes)
            return describe<Kernel>(plan);
        const dim3 grid(unsigned(plan.grid.x), unsigned(plan.grid.y));
        const dim3 block(unsigned(plan.block.x), unsigned(plan.block.y));
        runKernel<<<grid, block, plan.sharedBytes, target_.stream>>>(kernel);
        TESSERA_CUDA_CHECK(cudaGetLastError());
    }

    // The same, its blocks set up while the launch before it in the stream ends: the kernel must wait for that itself
    // (waitForLaunchBefore). Compute capability 9.0.
    template <class Kernel> void launchEarly(const LaunchPlan &plan, const Kernel &kernel) const {
        cudaLaunchAttribute early{};
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(unsigned(plan.grid.x), unsigned(plan.grid.y));
        config.blockDim = dim3(unsigned(plan.block.x), unsigned(plan.block.y));
        config.dynamicSmemBytes = plan.sharedBytes;
        config.stream = target_.stream;
        config.attrs = &early;
        config.numAttrs = 1;
        TESSERA_CUDA_CHECK(cudaLaunchKernelEx(&config, runKernel<Kernel>, kernel));
    }

private:
    template <class Kernel> void describe(const LaunchPlan &plan) const {
        cudaFuncAttributes loaded{};
        TESSERA_CUDA_CHECK(cudaFuncGetAttributes(&loaded, runKernel<Kernel>));
        KernelAttributes &attributes = *target_.attributes;
        attributes = attributesOf(loaded);
        TESSERA_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &attributes.blocksPerMultiprocessor, runKernel<Kernel>, plan.block.area(), plan.sharedBytes));
    }

    LaunchTarget target_;
};

} // namespace tessera::cuda
