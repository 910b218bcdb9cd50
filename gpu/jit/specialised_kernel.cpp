#include "gpu/jit/specialised_kernel.h"

#include "gpu/jit/compiler.h"
#include "gpu/launch/attributes_cuda.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace tessera::cuda {

#if CUDART_VERSION >= 12080

struct SpecialisedKernel::Loaded {
    cudaLibrary_t library = nullptr;
    cudaKernel_t kernel = nullptr;
    std::mutex mutex;                   // guards what follows
    std::vector<std::size_t> allowance; // by device that launched it: dynamic shared memory asked for; 0: none did

    Loaded(const jit::Cubin &cubin, const std::string &entry) {
        TESSERA_CUDA_CHECK(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
        const cudaError_t code = cudaLibraryGetKernel(&kernel, library, entry.c_str());
        if (code != cudaSuccess) {
            checkQuietly(cudaLibraryUnload(library));
            check(code, "cudaLibraryGetKernel");
        }
    }
    // Launches may still be under way, and nothing says that unloading waits for them.
    ~Loaded() {
        int current = 0;
        checkQuietly(cudaGetDevice(&current));
        for (std::size_t device = 0; device < allowance.size(); ++device)
            if (allowance[device] > 0) {
                checkQuietly(cudaSetDevice(int(device)));
                checkQuietly(cudaDeviceSynchronize());
            }
        checkQuietly(cudaSetDevice(current));
        checkQuietly(cudaLibraryUnload(library));
    }
    Loaded(const Loaded &) = delete;
    Loaded &operator=(const Loaded &) = delete;

    const void *function() const { return static_cast<const void *>(kernel); }

    // On the current device.
    void allowShared(std::size_t bytes) {
        constexpr std::size_t withoutOptIn = 48 * 1024;
        int device = 0;
        TESSERA_CUDA_CHECK(cudaGetDevice(&device));
        const std::lock_guard lock(mutex);
        if (allowance.size() <= std::size_t(device))
            allowance.resize(std::size_t(device) + 1);
        std::size_t &allowed = allowance[std::size_t(device)];
        allowed = std::max(allowed, withoutOptIn);
        if (bytes <= allowed)
            return;
        TESSERA_CUDA_CHECK(cudaFuncSetAttribute(function(), cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
        allowed = bytes;
    }
};

#else

struct SpecialisedKernel::Loaded {
    Loaded(const jit::Cubin &, const std::string &) {
        throw jit::CompilerUnavailable("this program was built with a CUDA runtime older than 12.8, which cannot load "
                                       "kernels compiled at run time");
    }
    const void *function() const { return nullptr; }
    void allowShared(std::size_t) {}
};

#endif

SpecialisedKernel::SpecialisedKernel(const jit::Cubin &cubin, const std::string &entry)
    : loaded_(std::make_shared<Loaded>(cubin, entry)) {}

void SpecialisedKernel::launch(dim3 grid, dim3 block, std::size_t sharedBytes, StreamView stream,
                               const void *parameters) const {
    loaded_->allowShared(sharedBytes);
    void *arguments[] = {const_cast<void *>(parameters)};
    TESSERA_CUDA_CHECK(cudaLaunchKernel(loaded_->function(), grid, block, arguments, sharedBytes, stream));
}

KernelAttributes SpecialisedKernel::attributes(int threads, std::size_t sharedBytes) const {
    cudaFuncAttributes found{};
    TESSERA_CUDA_CHECK(cudaFuncGetAttributes(&found, loaded_->function()));
    KernelAttributes attributes = attributesOf(found);
    if (threads > 0) {
        loaded_->allowShared(sharedBytes);
        TESSERA_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&attributes.blocksPerMultiprocessor,
                                                                         loaded_->function(), threads, sharedBytes));
    }
    return attributes;
}

} // namespace tessera::cuda
