// Copies into shared memory that run while the threads do something else. GPU-only (compute capability 8.0; bulk copies
// 9.0): the simulator has no such thing, and kernels that use them have no place in it.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

namespace tessera {

__device__ inline unsigned sharedAddress(const void *pointer) { return unsigned(__cvta_generic_to_shared(pointer)); }

// 16 bytes, both sides aligned to 16. Done once waitForCopies() has returned in this thread.
__device__ inline void copyAsync(void *to, const void *from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to)), "l"(from) : "memory");
}
__device__ inline void waitForCopies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// A barrier in shared memory that counts bytes as well as threads: it turns from one phase to the next when the thread
// that announced a transfer has arrived and all bytes have.
__device__ inline void initTransferBarrier(std::uint64_t *barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(barrier)) : "memory");
}
__device__ inline void announceTransfer(std::uint64_t *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(sharedAddress(barrier)), "r"(bytes)
                 : "memory");
}
__device__ inline void waitForTransfer(std::uint64_t *barrier, unsigned phase) {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "wait:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra wait;\n"
                 "}" ::"r"(sharedAddress(barrier)),
                 "r"(phase)
                 : "memory");
}

// One thread moves a whole run of bytes: a multiple of 16, both sides aligned to 16.
__device__ inline void copyBulk(void *to, const void *from, unsigned bytes, std::uint64_t *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     sharedAddress(to)),
                 "l"(from), "r"(bytes), "r"(sharedAddress(barrier))
                 : "memory");
}

} // namespace tessera

#endif
