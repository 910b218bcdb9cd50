#include "gpu/jit/kernel_cache.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace tessera::cuda {

namespace {

std::pair<int, int> capabilityOf(int device) {
    int major = 0, minor = 0;
    TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    return {major, minor};
}

// The caches of the process, by compute capability. They are never destroyed, only stopped: CUDA's runtime may end
// before them, and the process gives everything back anyway.
class Caches {
public:
    Caches() { jit::Compiler::shared(); } // made before, so that it ends after
    ~Caches() {
        const std::lock_guard lock(mutex_);
        for (auto &[capability, cache] : caches_) {
            cache->stop();
            static_cast<void>(cache.release());
        }
    }
    KernelCache &at(int device) {
        const auto capability = capabilityOf(device);
        const std::lock_guard lock(mutex_);
        std::unique_ptr<KernelCache> &cache = caches_[capability];
        if (!cache)
            cache = makeKernelCache(jit::Compiler::shared(), jit::CubinStore(jit::CubinStore::defaultFolder()), device);
        return *cache;
    }

private:
    std::mutex mutex_;
    std::map<std::pair<int, int>, std::unique_ptr<KernelCache>> caches_;
};

} // namespace

KernelCache &kernelCacheFor(int device) {
    static Caches caches;
    return caches.at(device);
}

std::unique_ptr<KernelCache> makeKernelCache(const jit::Compiler &compiler, jit::CubinStore store, int device) {
    const auto [major, minor] = capabilityOf(device);
    const auto known = compiler.architectureFor(major, minor);
    // An architecture that the compiler does not know makes every compilation fail with its own sentence.
    const jit::Architecture architecture = known.value_or(jit::Architecture{major, minor});
    return std::make_unique<KernelCache>(
        jit::Cubins(compiler, std::move(store)), architecture,
        [](const jit::Cubin &cubin, const jit::KernelSource &source) { return SpecialisedKernel(cubin, source.entry); },
        [device] { checkQuietly(cudaSetDevice(device)); }); // else the thread would wake device 0
}

std::string whyNoKernelCache(int device) {
    const jit::Compiler &compiler = jit::Compiler::shared();
    const auto [major, minor] = capabilityOf(device);
    if (!compiler.available())
        return compiler.reason();
    if (!compiler.architectureFor(major, minor))
        return "the run-time compiler (NVRTC " + compiler.version() + ") does not know compute capability " +
               std::to_string(major) + "." + std::to_string(minor);
    return {};
}

} // namespace tessera::cuda
