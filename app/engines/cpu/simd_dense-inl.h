// The dense convolution, register-blocked: a chunk of several vectors in several output rows is summed in registers.
//
// A plain loop over the taps loads one vector a multiply-add and is held up by the loads. Here a source row is walked
// once for all output rows that it belongs to: a loaded vector feeds up to blockRows multiply-adds, and a tap that is
// spread over a vector feeds blockVectors of them. At 6 rows and 4 vectors that is 10 loads for 24 multiply-adds.
#if defined(TESSERA_SIMD_DENSE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_SIMD_DENSE_INL_H
#undef TESSERA_SIMD_DENSE_INL_H
#else
#define TESSERA_SIMD_DENSE_INL_H
#endif

#include "app/engines/cpu/simd_finish-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {

// The sums, a row of loaded vectors and one tap must fit the registers: 32 on AVX-512 and NEON, 16 below.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
inline constexpr int blockRows = 6;
inline constexpr int blockVectors = 4;
#else
inline constexpr int blockRows = 6;
inline constexpr int blockVectors = 2;
#endif

struct BlockSums {
    FloatVector row[blockRows][blockVectors];
};

// Adds one source row to the output rows first..last. `taps` is the tap of output row 0 in the first column, that of
// row j lies j before it; the next column's are `height` further on.
template <int first, int last>
HWY_INLINE void addSourceRow(const float *samples, const float *taps, const DenseTaps &shape, BlockSums &sums) {
    const Floats floats;
    const std::size_t lanes = hn::Lanes(floats);
    for (int u = 0; u < shape.width; ++u, samples += shape.step, taps += shape.height) {
        FloatVector loaded[blockVectors];
        for (int v = 0; v < blockVectors; ++v)
            loaded[v] = hn::LoadU(floats, samples + std::size_t(v) * lanes);
        for (int j = first; j <= last; ++j) {
            const FloatVector tap = hn::Set(floats, taps[-j]);
            for (int v = 0; v < blockVectors; ++v)
                sums.row[j][v] = hn::MulAdd(tap, loaded[v], sums.row[j][v]);
        }
    }
}

// Chooses among the instances for every first and last row.
template <int pair = 0>
HWY_INLINE void addSourceRow(int first, int last, const float *samples, const float *taps, const DenseTaps &shape,
                             BlockSums &sums) {
    if constexpr (pair < blockRows * blockRows) {
        constexpr int instanceFirst = pair / blockRows, instanceLast = pair % blockRows;
        if constexpr (instanceFirst > instanceLast) {
            addSourceRow<pair + 1>(first, last, samples, taps, shape, sums);
        } else {
            if (first == instanceFirst && last == instanceLast)
                addSourceRow<instanceFirst, instanceLast>(samples, taps, shape, sums);
            else
                addSourceRow<pair + 1>(first, last, samples, taps, shape, sums);
        }
    }
}

HWY_INLINE void sumChunk(const float *const *rows, const DenseTaps &taps, int sample, BlockSums &sums) {
    const Floats floats;
    for (auto &row : sums.row)
        for (FloatVector &sum : row)
            sum = hn::Zero(floats);
    const int sourceRows = blockRows + taps.height - 1;
    for (int s = 0; s < sourceRows; ++s) {
        const int first = std::max(0, s - taps.height + 1);
        const int last = std::min(blockRows - 1, s);
        if (first == 0 && last == blockRows - 1)
            addSourceRow<0, blockRows - 1>(rows[s] + sample, taps.columns + s, taps, sums);
        else
            addSourceRow<>(first, last, rows[s] + sample, taps.columns + s, taps, sums);
    }
}

void dense(const float *const *rows, const DenseTaps &taps, const BlockOutput &output) {
    const Floats floats;
    const int lanes = int(hn::Lanes(floats));
    const int chunk = blockVectors * lanes;
    HWY_ALIGN float stored[blockVectors * hn::MaxLanes(floats)];
    for (int sample = 0; sample < output.samples; sample += chunk) {
        BlockSums sums;
        sumChunk(rows, taps, sample, sums);
        const int count = std::min(chunk, output.samples - sample);
        for (int j = 0; j < blockRows; ++j) {
            if (j >= output.rowCount)
                break;
            for (int v = 0; v < blockVectors; ++v)
                hn::Store(sums.row[j][v], floats, stored + v * lanes);
            finishChunkRow(output, j, sample, count, stored);
        }
    }
}

} // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
