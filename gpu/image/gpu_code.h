// Macros that mark what compiles for the GPU and for the host alike.
#pragma once

#if defined(__CUDACC__)
#define GPU_CODE __host__ __device__
#else
#define GPU_CODE
#endif

// Before a loop whose index chooses among a thread's own values: registers have no index, so a loop that the compiler
// leaves rolled would move them to memory. GPU_ROLL keeps a loop a loop where its copies would fill the instruction
// cache.
#if defined(__CUDA_ARCH__)
#define GPU_UNROLL _Pragma("unroll")
#define GPU_ROLL _Pragma("unroll 1")
#else
#define GPU_UNROLL
#define GPU_ROLL
#endif
