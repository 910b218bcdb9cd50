// Errors of CUDA calls. Every call is checked; destructors check quietly.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>

namespace tessera::cuda {

// Thrown for any failed call. `sticky` errors (a fault inside a kernel, a lost device) leave the process's CUDA context
// unusable: whoever catches one must stop using the GPU.
class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const char *call);
    cudaError_t code() const noexcept { return code_; }
    bool sticky() const noexcept;
    bool outOfMemory() const noexcept { return code_ == cudaErrorMemoryAllocation; }

private:
    cudaError_t code_;
};

inline void check(cudaError_t code, const char *call) {
    if (code == cudaSuccess)
        return;
    static_cast<void>(cudaGetLastError()); // told here: the thread's next launch must not be blamed for it
    throw CudaError(code, call);
}

// For destructors: a failing free while another error is on its way must not end the program.
inline void checkQuietly(cudaError_t code) noexcept { static_cast<void>(code); }

} // namespace tessera::cuda

#define TESSERA_CUDA_CHECK(call) ::tessera::cuda::check((call), #call)
