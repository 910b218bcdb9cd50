#include "gpu/measure/peaks.h"

#include <cuda_fp16.h>

#include <array>

namespace tessera::cuda {

namespace {

constexpr int steps = 2048;
constexpr int threadsPerBlock = 256;
constexpr int blocksPerMultiprocessor = 8;

// What one step does to a sum. Scale: two operands stay. Add: a product of unchanging factors is added, as a
// convolution does; volatile assembly keeps it from being taken out of the loop. Square: two operands are the same
// register.
enum class Form { Scale, Add, Square };

template <Form form> __device__ void step(float &sum, float a, float b) {
    if constexpr (form == Form::Scale)
        asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(sum) : "f"(a), "f"(b));
    else if constexpr (form == Form::Add)
        asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(a), "f"(b));
    else
        asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(sum) : "f"(b));
}

template <Form form> __device__ void step(unsigned &sum, unsigned a, unsigned b) {
    if constexpr (form == Form::Scale)
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(sum) : "r"(a), "r"(b));
    else if constexpr (form == Form::Add)
        asm volatile("fma.rn.f16x2 %0, %1, %2, %0;" : "+r"(sum) : "r"(a), "r"(b));
    else
        asm volatile("fma.rn.f16x2 %0, %0, %0, %1;" : "+r"(sum) : "r"(b));
}

__device__ float firstValue(float, unsigned lane) { return float(lane) * 1e-3f; }
__device__ unsigned firstValue(unsigned, unsigned lane) { return 0x10001u * (0x3000u + lane % 64); } // two halves, 0.13

template <class T, Form form, int chains> __global__ void multiplyAdds(unsigned *sink, unsigned never, T a, T b) {
    T sum[chains];
#pragma unroll
    for (int i = 0; i < chains; ++i)
        sum[i] = firstValue(T{}, threadIdx.x + unsigned(i));
#pragma unroll 1
    for (int outer = 0; outer < steps / 16; ++outer)
#pragma unroll
        for (int inner = 0; inner < 16; ++inner)
#pragma unroll
            for (int i = 0; i < chains; ++i)
                step<form>(sum[i], a, b);
    unsigned all = 0;
#pragma unroll
    for (int i = 0; i < chains; ++i)
        all ^= reinterpret_cast<const unsigned &>(sum[i]);
    if (all == never)
        *sink = all;
}

// One m16n8k16 product of halves into floats a step and chain: 4096 operations a warp.
template <int chains> __global__ void tensorProducts(unsigned *sink, unsigned never) {
#if __CUDA_ARCH__ >= 800
    float sum[chains][4] = {};
    const unsigned a = 0x2c002c00u + threadIdx.x % 8, b = 0x2c002c00u;
#pragma unroll 1
    for (int outer = 0; outer < steps / 16; ++outer)
#pragma unroll
        for (int inner = 0; inner < 4; ++inner)
#pragma unroll
            for (int i = 0; i < chains; ++i)
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                             "{%0,%1,%2,%3};"
                             : "+f"(sum[i][0]), "+f"(sum[i][1]), "+f"(sum[i][2]), "+f"(sum[i][3])
                             : "r"(a), "r"(b), "r"(a), "r"(b), "r"(b), "r"(a));
    float all = 0;
#pragma unroll
    for (int i = 0; i < chains; ++i)
        all += sum[i][0] + sum[i][1] + sum[i][2] + sum[i][3];
    if (all == 12345.678f + float(never))
        *sink = 1;
#else
    static_cast<void>(sink), static_cast<void>(never);
#endif
}

// A value that no sum ends with, which only the host knows: the compiler must keep the loops.
constexpr unsigned neverSeen = 0x12345678u;

struct Loop {
    void (*launch)(int blocks, unsigned *sink, StreamView stream);
    int chains;
};

template <Form form, int chains> void launchFloat(int blocks, unsigned *sink, StreamView stream) {
    multiplyAdds<float, form, chains><<<blocks, threadsPerBlock, 0, stream>>>(sink, neverSeen, 0.5f, 0.25f);
}
// 0x3800 is the half 0.5.
template <Form form, int chains> void launchHalf(int blocks, unsigned *sink, StreamView stream) {
    multiplyAdds<unsigned, form, chains>
        <<<blocks, threadsPerBlock, 0, stream>>>(sink, neverSeen, 0x38003800u, 0x34003400u);
}
template <int chains> void launchTensor(int blocks, unsigned *sink, StreamView stream) {
    tensorProducts<chains><<<blocks, threadsPerBlock, 0, stream>>>(sink, neverSeen);
}

constexpr std::array floatLoops{Loop{launchFloat<Form::Scale, 4>, 4}, Loop{launchFloat<Form::Scale, 8>, 8},
                                Loop{launchFloat<Form::Add, 4>, 4},   Loop{launchFloat<Form::Add, 8>, 8},
                                Loop{launchFloat<Form::Add, 16>, 16}, Loop{launchFloat<Form::Square, 8>, 8}};
constexpr std::array halfLoops{Loop{launchHalf<Form::Scale, 4>, 4},   Loop{launchHalf<Form::Scale, 8>, 8},
                               Loop{launchHalf<Form::Scale, 16>, 16}, Loop{launchHalf<Form::Add, 4>, 4},
                               Loop{launchHalf<Form::Add, 8>, 8},     Loop{launchHalf<Form::Add, 16>, 16},
                               Loop{launchHalf<Form::Square, 8>, 8}};
constexpr std::array tensorLoops{Loop{launchTensor<2>, 2}, Loop{launchTensor<4>, 4}, Loop{launchTensor<8>, 8}};

const Loop &loopOf(model::ArithmeticUnit unit, int loop) {
    const auto index = std::size_t(loop);
    return unit == model::ArithmeticUnit::Fp32    ? floatLoops[index]
           : unit == model::ArithmeticUnit::Half2 ? halfLoops[index]
                                                  : tensorLoops[index];
}

__global__ void copyVectors(const uint4 *source, uint4 *target, std::size_t count) {
    // Four in flight a thread, so that few threads keep memory busy.
    const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
    std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i + 3 * stride < count; i += 4 * stride) {
        const uint4 a = __ldcs(source + i), b = __ldcs(source + i + stride), c = __ldcs(source + i + 2 * stride),
                    d = __ldcs(source + i + 3 * stride);
        __stcs(target + i, a);
        __stcs(target + i + stride, b);
        __stcs(target + i + 2 * stride, c);
        __stcs(target + i + 3 * stride, d);
    }
    for (; i < count; i += stride)
        __stcs(target + i, __ldcs(source + i));
}

__global__ void nothing() {}

__device__ unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

__global__ void waitForTicket(const volatile unsigned *flag, unsigned ticket) {
    constexpr unsigned long long longest = 5'000'000; // ns
    const unsigned long long start = nanoseconds();
    while (int(*flag - ticket) < 0 && nanoseconds() - start < longest) {
    }
}

} // namespace

int peakLoopCount(model::ArithmeticUnit unit) {
    return int(unit == model::ArithmeticUnit::Fp32    ? floatLoops.size()
               : unit == model::ArithmeticUnit::Half2 ? halfLoops.size()
                                                      : tensorLoops.size());
}

double launchPeakLoop(model::ArithmeticUnit unit, int loop, int multiprocessors, void *sink, StreamView stream) {
    const Loop &chosen = loopOf(unit, loop);
    const int blocks = multiprocessors * blocksPerMultiprocessor;
    chosen.launch(blocks, static_cast<unsigned *>(sink), stream);
    TESSERA_CUDA_CHECK(cudaGetLastError());
    const double threads = double(blocks) * threadsPerBlock;
    if (unit == model::ArithmeticUnit::Tensor)
        return threads / 32 * 4096 * chosen.chains * (steps / 4);
    return threads * chosen.chains * steps * (unit == model::ArithmeticUnit::Half2 ? 4 : 2);
}

void launchCopy(const void *source, void *target, std::size_t bytes, int multiprocessors, StreamView stream) {
    copyVectors<<<unsigned(multiprocessors * 8), 256, 0, stream>>>(static_cast<const uint4 *>(source),
                                                                   static_cast<uint4 *>(target), bytes / sizeof(uint4));
    TESSERA_CUDA_CHECK(cudaGetLastError());
}

void launchNothing(StreamView stream) {
    nothing<<<1, 32, 0, stream>>>();
    TESSERA_CUDA_CHECK(cudaGetLastError());
}

Gate::Gate() {
    flag_.reserve(sizeof(unsigned));
    *reinterpret_cast<volatile unsigned *>(flag_.data()) = 0;
}

void Gate::close(StreamView stream) {
    ++ticket_;
    waitForTicket<<<1, 1, 0, stream>>>(reinterpret_cast<const volatile unsigned *>(flag_.data()), ticket_);
    TESSERA_CUDA_CHECK(cudaGetLastError());
}

// Host memory that the device maps: a plain store reaches the kernel that is reading it.
void Gate::open() noexcept { *reinterpret_cast<volatile unsigned *>(flag_.data()) = ticket_; }

} // namespace tessera::cuda
