// What the launches of kernels with rings of rows (gpu/kernels/warp_ring.h) share: level_march.cu and half_march.cu.
#pragma once

#include "gpu/device/properties.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/plan_rings.h"
#include "gpu/launch/tensor_map.h"

namespace tessera::cuda::ring_launch {

// On the current device.
template <class Shape> RingStrips stripsFor(const Shape &shape, const ConvolutionRequest &request) {
    return stripsOf(shape, request.target.width, request.target.height, limitsOfCurrentDevice().multiprocessors);
}

// What copies into a ring can take, and the rim: rows that begin on 16 bytes, in a part that lies in the picture. All
// channels are filtered.
inline bool ringsTake(const ConvolutionRequest &request) {
    const RawView &source = request.source, &target = request.target;
    const unsigned all = (1u << source.channels) - 1u;
    const int pixelBytes = scalarBytes(source.type) * source.channels;
    return (request.channelMask & all) == all && source.pitch > 0 && rowsAligned(source, 16) &&
           request.originX * pixelBytes % 16 == 0 && request.originX >= 0 && request.originY >= 0 &&
           request.originX + target.width <= source.width && request.originY + target.height <= source.height;
}

template <class Kernel> void launch(const Kernel &kernel, const RingStrips &strips, const LaunchTarget &target) {
    LaunchPlan plan;
    plan.grid = strips.grid;
    plan.block = {Kernel::maximumThreads, 1};
    plan.sharedBytes = std::size_t(Kernel::layout.sharedBytes);
    // As it was measured: hardly a byte is read twice, so that a cache has no use.
    TESSERA_CUDA_CHECK(cudaFuncSetAttribute(runKernel<Kernel>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                            cudaSharedmemCarveoutMaxShared));
    CudaLauncher(target).launch(plan, kernel);
}

} // namespace tessera::cuda::ring_launch
