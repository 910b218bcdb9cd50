// One macro marks what compiles for the GPU and for the host alike.
#pragma once

#if defined(__CUDACC__)
#define GPU_CODE __host__ __device__
#else
#define GPU_CODE
#endif
