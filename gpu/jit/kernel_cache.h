// Kernels compiled at run time for the GPUs of this machine: gpu/jit/kernel_table.h with CUDA's loader.
//
//     auto &cache = cuda::kernelCacheFor(device);
//     if (auto kernel = cache.specialise(mode, key, evidence, [&] { return sourceFor(taps); }))
//         kernel->launch(grid, block, sharedBytes, stream, &parameters);
//     else
//         ... the kernel that takes its taps as data
#pragma once

#include "gpu/jit/kernel_table.h"
#include "gpu/jit/specialised_kernel.h"

namespace tessera::cuda {

using KernelCache = jit::KernelTable<SpecialisedKernel>;

// The process's cache for that device's architecture, in the user's cache folder. Without a compiler, or with one that
// does not know the GPU, it stays empty and compile() throws jit::CompilerUnavailable. Throws CudaError where there is
// no such device.
KernelCache &kernelCacheFor(int device);

// A cache of its own, for tests: with this compiler and this folder.
std::unique_ptr<KernelCache> makeKernelCache(const jit::Compiler &compiler, jit::CubinStore store, int device);

// Why nothing can be compiled for that device; empty where it can.
std::string whyNoKernelCache(int device);

} // namespace tessera::cuda
