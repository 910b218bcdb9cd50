// A kernel that was compiled at run time, loaded for the GPU.
#pragma once

#include "gpu/device/memory.h"
#include "gpu/jit/program.h"
#include "gpu/launch/attributes.h"

#include <cuda_runtime.h>

#include <memory>

namespace tessera::cuda {

// A handle: copies are cheap and mean the same kernel, which is unloaded with the last of them. A launch on any device
// of the architecture may use it.
class SpecialisedKernel {
public:
    // Throws CudaError where the driver refuses the code or it has no kernel `entry`.
    SpecialisedKernel(const jit::Cubin &cubin, const std::string &entry);

    // `parameters` points to the entry's only parameter (a struct passed by value), read before this returns. Returns
    // once the work is queued; throws CudaError where the launch is refused. More than 48 KB of shared memory are asked
    // of the driver as needed.
    void launch(dim3 grid, dim3 block, std::size_t sharedBytes, StreamView stream, const void *parameters) const;

    // Of the current device; localBytes says what was spilled. blocksPerMultiprocessor: with blocks of `threads` and so
    // much dynamic shared memory; 0 threads leave it 0.
    KernelAttributes attributes(int threads = 0, std::size_t sharedBytes = 0) const;

private:
    struct Loaded;
    std::shared_ptr<Loaded> loaded_;
};

} // namespace tessera::cuda
