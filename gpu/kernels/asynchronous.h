// Copies into shared memory that run while the threads do something else. GPU-only: the simulator has no such thing,
// and kernels that use them have no place in it. Code for GPUs that lack them compiles and must not run: the planner
// sees to it (copyAsync needs compute capability 8.0, all else 9.0).
#pragma once

namespace tessera {

// A picture as the unit that copies knows it: a CUtensorMap, which the host makes (gpu/launch/tensor_map.h). Part of a
// kernel's parameters, whose address the copies are given.
struct alignas(128) TensorMap {
    unsigned char opaque[128];
};

} // namespace tessera

#if defined(__CUDACC__)

#include <cstdint>

// The instruction from this compute capability on, a trap before.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define TESSERA_FROM_90(...) __VA_ARGS__
#else
#define TESSERA_FROM_90(...) __trap()
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define TESSERA_FROM_80(...) __VA_ARGS__
#else
#define TESSERA_FROM_80(...) __trap()
#endif

namespace tessera {

__device__ inline unsigned sharedAddress(const void *pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

// 16 bytes, both sides aligned to 16. Done once waitForCopies() has returned in this thread.
__device__ inline void copyAsync(void *to, const void *from) {
    TESSERA_FROM_80(asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to)), "l"(from)
                                 : "memory"));
}
__device__ inline void waitForCopies() { TESSERA_FROM_80(asm volatile("cp.async.wait_all;" ::: "memory")); }

// A barrier in shared memory that counts bytes as well as threads: it turns from one phase to the next when the thread
// that announced a transfer has arrived and all bytes have (PTX ISA, "mbarrier" and "cp.async.bulk"). The fence makes
// it known to the unit that copies; a barrier of the block must follow before another thread uses it.
__device__ inline void initTransferBarrier(std::uint64_t *barrier) {
    TESSERA_FROM_90(asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                                 "fence.mbarrier_init.release.cluster;" ::"r"(sharedAddress(barrier))
                                 : "memory"));
}
__device__ inline void announceTransfer(std::uint64_t *barrier, unsigned bytes) {
    TESSERA_FROM_90(
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(bytes)
                     : "memory"));
}
__device__ inline void waitForTransfer(std::uint64_t *barrier, unsigned phase) {
    TESSERA_FROM_90(asm volatile("{\n"
                                 ".reg .pred done;\n"
                                 "wait:\n"
                                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                                 "@!done bra wait;\n"
                                 "}" ::"r"(sharedAddress(barrier)),
                                 "r"(phase)
                                 : "memory"));
}

// The same for threads alone: it turns when `count` of them have arrived, and is waited for with waitForTransfer().
__device__ inline void initThreadBarrier(std::uint64_t *barrier, int count) {
    TESSERA_FROM_90(asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(count)
                                 : "memory"));
}
__device__ inline void arriveAt(std::uint64_t *barrier) {
    TESSERA_FROM_90(asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(sharedAddress(barrier)) : "memory"));
}

// One thread moves a whole run of bytes: a multiple of 16, both sides aligned to 16.
__device__ inline void copyBulk(void *to, const void *from, unsigned bytes, std::uint64_t *barrier) {
    TESSERA_FROM_90(
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         sharedAddress(to)),
                     "l"(from), "r"(bytes), "r"(sharedAddress(barrier))
                     : "memory"));
}

// One thread fetches a box of a picture, of the map's size, from column x and row y on, either of which may lie
// outside: what does is filled with zeros. `to` is aligned to 128 bytes.
__device__ inline void copyBox(void *to, const TensorMap *map, int x, int y, std::uint64_t *barrier) {
    TESSERA_FROM_90(
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
                     "[%1, {%2, %3}], [%4];" ::"r"(sharedAddress(to)),
                     "l"(map), "r"(x), "r"(y), "r"(sharedAddress(barrier))
                     : "memory"));
}

// The other way: a box of shared memory, at an address of 128 bytes, to the picture, which clips it. Rows are clipped
// to whole 16 bytes at the finest. The same thread waits until at most `pending` of its boxes are still to be read.
__device__ inline void storeBox(const TensorMap *map, int x, int y, const void *from) {
    TESSERA_FROM_90(asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];\n"
                                 "cp.async.bulk.commit_group;" ::"l"(map),
                                 "r"(x), "r"(y), "r"(sharedAddress(from))
                                 : "memory"));
}
template <int pending> __device__ inline void waitUntilBoxesAreRead() {
    TESSERA_FROM_90(asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory"));
}

// True in one lane of a whole warp, the same each time. The compiler knows that it is one, and makes no loop of the
// copy that this lane starts.
__device__ inline bool electedLane() {
    unsigned elected = 0;
    TESSERA_FROM_90(asm volatile("{\n"
                                 ".reg .pred one;\n"
                                 "elect.sync _|one, 0xffffffff;\n"
                                 "selp.u32 %0, 1, 0, one;\n"
                                 "}"
                                 : "=r"(elected)));
    return elected != 0;
}

// Before a barrier after which another copy may overwrite what this thread has written to shared memory itself: the
// unit that copies is not bound by the order of the threads' own writes.
__device__ inline void orderWritesBeforeCopies() {
    TESSERA_FROM_90(asm volatile("fence.proxy.async.shared::cta;" ::: "memory"));
}

// In a kernel that is launched early (CudaLauncher::launchEarly): until the launch before it has ended, and its writes
// are to be seen.
__device__ inline void waitForLaunchBefore() { TESSERA_FROM_90(asm volatile("griddepcontrol.wait;" ::: "memory")); }

// Blocks on a multiprocessor that the registers of a kernel with such copies must suffice for: as measured on compute
// capability 9.0. From 10.0 on the compiler takes more registers for the same; there none of it is measured, and no
// value is to be kept in memory for it.
constexpr int fetchingBlocks(int blocks) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
    return blocks / 2;
#else
    return blocks;
#endif
}

} // namespace tessera

#undef TESSERA_FROM_80
#undef TESSERA_FROM_90

#endif
