// The block interface of gpu/kernels/block.h on the GPU: every operation is the plain instruction, nothing is recorded.
// For translation units that nvcc compiles.
#pragma once

#include "gpu/kernels/block.h"

#include <cuda_runtime.h>

namespace tessera {

extern __shared__ __align__(16) unsigned char dynamicSharedMemory[];

struct DeviceThread {
    int x, y, index, lane, warp;

    template <class P> __device__ std::remove_const_t<P> load(const ImageView<P> &view, int px, int py) const {
        return *view.address(px, py);
    }
    template <class P> __device__ P load(const BorderedView<P> &view, int px, int py) const {
        return loadBordered(view, px, py, [&](int ix, int iy) { return *view.inside.address(ix, iy); });
    }
    template <class T> __device__ T load(const SharedArray<T> &shared, int i) const { return shared.data[i]; }
    template <class V, class P> __device__ V loadVector(const ImageView<P> &view, int px, int py) const {
        return *reinterpret_cast<const V *>(view.address(px, py));
    }
    template <class P> __device__ void store(const ImageView<P> &view, int px, int py, const P &value) const {
        *view.address(px, py) = value;
    }
    template <class V, class P>
    __device__ void storeVector(const ImageView<P> &view, int px, int py, const V &value) const {
        *reinterpret_cast<V *>(view.address(px, py)) = value;
    }
    template <class T> __device__ void store(const SharedArray<T> &shared, int i, const T &value) const {
        shared.data[i] = value;
    }
    template <class T> __device__ T atomicAdd(const ImageView<T> &view, int px, int py, T value) const {
        return ::atomicAdd(view.address(px, py), value);
    }
    template <class T> __device__ T atomicAdd(const SharedArray<T> &shared, int i, T value) const {
        return ::atomicAdd(&shared.data[i], value);
    }
    template <class T> __device__ T atomicAdd(const SharedArray<T> &shared, ByteOffset offset, T value) const {
        return ::atomicAdd(reinterpret_cast<T *>(reinterpret_cast<char *>(shared.data) + offset.bytes), value);
    }
    __device__ bool branch(bool condition) const { return condition; }
    __device__ void reconverge() const {}
    __device__ void step() const {}
};

class DeviceBlock {
public:
    template <class T> struct PerThread {
        T value;
        __device__ T &operator[](const DeviceThread &) { return value; }
        __device__ const T &operator[](const DeviceThread &) const { return value; }
    };

    __device__ Extent index() const { return {int(blockIdx.x), int(blockIdx.y)}; }
    __device__ Extent grid() const { return {int(gridDim.x), int(gridDim.y)}; }
    __device__ Extent size() const { return {int(blockDim.x), int(blockDim.y)}; }
    __device__ int threads() const { return int(blockDim.x * blockDim.y); }

    template <class T> __device__ SharedArray<T> shared(int count) {
        sharedUsed_ = (sharedUsed_ + int(alignof(T)) - 1) / int(alignof(T)) * int(alignof(T));
        SharedArray<T> array{reinterpret_cast<T *>(dynamicSharedMemory + sharedUsed_), count};
        sharedUsed_ += count * int(sizeof(T));
        return array;
    }
    __device__ int sharedUsed() const { return sharedUsed_; }
    __device__ void reuseShared(int mark) { sharedUsed_ = mark; }
    template <class T> __device__ PerThread<T> perThread(T value) const { return {value}; }

    template <class Function> __device__ void each(Function function) const { function(thread()); }
    template <class Function> __device__ void phase(Function function) const {
        function(thread());
        __syncthreads();
    }
    template <class Function> __device__ void warpPhase(Function function) const {
        function(thread());
        __syncwarp();
    }

    template <class T> __device__ PerThread<T> shuffleDown(const PerThread<T> &value, int offset) const {
        return {__shfl_down_sync(0xffffffffu, value.value, offset)};
    }
    template <class T> __device__ PerThread<T> shuffleXor(const PerThread<T> &value, int mask) const {
        return {__shfl_xor_sync(0xffffffffu, value.value, mask)};
    }
    __device__ PerThread<unsigned> ballot(const PerThread<bool> &value) const {
        return {__ballot_sync(0xffffffffu, value.value)};
    }

private:
    __device__ static DeviceThread thread() {
        const unsigned index = threadIdx.y * blockDim.x + threadIdx.x; // unsigned: dividing by 32 is then one shift
        return {int(threadIdx.x), int(threadIdx.y), int(index), int(index % warpSize_), int(index / warpSize_)};
    }

    int sharedUsed_ = 0;
};

} // namespace tessera
