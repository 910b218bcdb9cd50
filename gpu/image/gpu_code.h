// Macros that mark what compiles for the GPU and for the host alike.
#pragma once

#if defined(__CUDACC__)
#define GPU_CODE __host__ __device__
#else
#define GPU_CODE
#endif

// Before a loop whose index chooses among a thread's own values: registers have no index, so a loop that the compiler
// leaves rolled would move them to memory.
#if defined(__CUDA_ARCH__)
#define GPU_UNROLL _Pragma("unroll")
#else
#define GPU_UNROLL
#endif
