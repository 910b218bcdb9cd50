// What the launches of kernels whose warps fetch a box each (gpu/kernels/warp_box.h) share: level_tile.cu and
// half_tile.cu.
#pragma once

#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/plan_boxes.h"
#include "gpu/launch/tensor_map.h"

#include <array>
#include <atomic>

namespace tessera::cuda::box_launch {

// What copies can take, and the rim: a part that lies in the picture. All channels are filtered.
inline bool boxesTake(const ConvolutionRequest &request) {
    const RawView &source = request.source, &target = request.target;
    const unsigned all = (1u << source.channels) - 1u;
    return (request.channelMask & all) == all && source.pitch > 0 && copiesTake(request) && request.originX >= 0 &&
           request.originY >= 0 && request.originX + target.width <= source.width &&
           request.originY + target.height <= source.height;
}

// As it was measured: hardly a byte is read twice, so that a cache has no use. Once a device.
template <class Kernel> void preferSharedMemory() {
    static std::array<std::atomic<bool>, 64> told{};
    int device = 0;
    TESSERA_CUDA_CHECK(cudaGetDevice(&device));
    if (std::size_t(device) < told.size() && told[std::size_t(device)].exchange(true))
        return;
    TESSERA_CUDA_CHECK(cudaFuncSetAttribute(runKernel<Kernel>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                            cudaSharedmemCarveoutMaxShared));
}

template <class Kernel> void launch(const Kernel &kernel, Extent grid, const LaunchTarget &target) {
    LaunchPlan plan;
    plan.grid = grid;
    plan.block = {Kernel::maximumThreads, 1};
    plan.sharedBytes = std::size_t(Kernel::layout.sharedBytes);
    preferSharedMemory<Kernel>();
    CudaLauncher(target).launch(plan, kernel);
}

} // namespace tessera::cuda::box_launch
