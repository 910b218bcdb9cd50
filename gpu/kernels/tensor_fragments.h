// The tensor cores' instructions (compute capability 8.0 and later), by their names in PTX. GPU only.
#pragma once

#include <cstdint>

namespace tessera::tensor {

__device__ inline std::uint32_t sharedAddress(const void *pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ inline std::uint32_t loadFourBytes(std::uint32_t address) {
    std::uint32_t value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address));
    return value;
}
__device__ inline std::uint32_t loadTwoBytes(std::uint32_t address) {
    std::uint16_t value;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(value) : "r"(address));
    return value;
}

// The left operand: 16 rows of 32 bytes. Lanes 0 to 15 name the rows' first 16 bytes, lanes 16 to 31 the others.
struct Window {
    std::uint32_t part[4];
};
__device__ inline Window loadWindow(std::uint32_t address) {
    Window window;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(window.part[0]), "=r"(window.part[1]), "=r"(window.part[2]), "=r"(window.part[3])
                 : "r"(address)
                 : "memory");
    return window;
}

// The right operand: 32 bytes of each of 8 columns of the band matrix.
struct Band {
    std::uint32_t part[2];
};

__device__ inline void multiplyAdd(int (&sum)[4], const Window &a, const Band &b) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+r"(sum[0]), "+r"(sum[1]), "+r"(sum[2]), "+r"(sum[3])
        : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b.part[0]), "r"(b.part[1]));
}
__device__ inline void multiplyAdd(float (&sum)[4], const Window &a, const Band &b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b.part[0]), "r"(b.part[1]));
}

// The same with another sum to add to, which may be `sum` itself.
__device__ inline void multiplyAdd(float (&sum)[4], const Window &a, const Band &b, const float (&before)[4]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%10, %11, %12, %13};"
        : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
        : "r"(a.part[0]), "r"(a.part[1]), "r"(a.part[2]), "r"(a.part[3]), "r"(b.part[0]), "r"(b.part[1]),
          "f"(before[0]), "f"(before[1]), "f"(before[2]), "f"(before[3]));
}

// Half as long: 16 rows of 16 bytes, and 16 bytes of each of 8 columns.
struct NarrowWindow {
    std::uint32_t part[2];
};
__device__ inline void multiplyAdd(float (&sum)[4], const NarrowWindow &a, std::uint32_t b, const float (&before)[4]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
        : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
        : "r"(a.part[0]), "r"(a.part[1]), "r"(b), "f"(before[0]), "f"(before[1]), "f"(before[2]), "f"(before[3]));
}
__device__ inline void multiplyAdd(float (&sum)[4], const NarrowWindow &a, std::uint32_t b) {
    multiplyAdd(sum, a, b, sum);
}

// Four levels in a word, saturated.
__device__ inline std::uint32_t packSaturated(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
    std::uint32_t packed;
    asm("{ .reg .b32 upper;\n"
        "cvt.pack.sat.u8.s32.b32 upper, %4, %3, 0;\n"
        "cvt.pack.sat.u8.s32.b32 %0, %2, %1, upper; }"
        : "=r"(packed)
        : "r"(a), "r"(b), "r"(c), "r"(d));
    return packed;
}

// Asynchronous copies from global to shared memory; both sides aligned to the number of bytes.
template <int Bytes> __device__ inline void copyAsync(std::uint32_t shared, const void *global) {
    if constexpr (Bytes == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(global), "n"(Bytes) : "memory");
}
__device__ inline void waitForCopies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

} // namespace tessera::tensor
