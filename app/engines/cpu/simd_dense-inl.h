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
inline constexpr int blockRows = 6;
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
inline constexpr int blockVectors = 4;
#else
inline constexpr int blockVectors = 2;
#endif

struct BlockSums {
    FloatVector row[blockRows][blockVectors];
};

// GCC takes a loaded vector that is used several times for an operand in memory and loads it again at every use, which
// undoes the whole point. What comes from here it knows as a register only.
HWY_INLINE FloatVector loadOnce(const float *samples) {
    FloatVector vector = hn::LoadU(Floats(), samples);
#if HWY_ARCH_X86 && HWY_COMPILER_GCC && HWY_TARGET <= HWY_SSE4
    asm("" : "+v"(vector.raw));
#endif
    return vector;
}

// Adds the products of one source row with one column of the kernel to the output rows first..last. `taps` is the tap
// of output row 0; that of row j lies j before it.
template <int first, int last> HWY_INLINE void addSourceRow(const float *samples, const float *taps, BlockSums &sums) {
    const Floats floats;
    const std::size_t lanes = hn::Lanes(floats);
    FloatVector loaded[blockVectors];
    for (int v = 0; v < blockVectors; ++v)
        loaded[v] = loadOnce(samples + std::size_t(v) * lanes);
    for (int j = first; j <= last; ++j) {
        const FloatVector tap = hn::Set(floats, taps[-j]);
        for (int v = 0; v < blockVectors; ++v)
            sums.row[j][v] = hn::MulAdd(tap, loaded[v], sums.row[j][v]);
    }
}

// A column of a kernel whose height is known when this is compiled: so is which output rows a source row belongs to,
// and no branch is left.
template <int height, int s = 0>
HWY_INLINE void addShortColumn(const float *const *rows, const float *taps, std::ptrdiff_t offset, BlockSums &sums) {
    if constexpr (s < blockRows + height - 1) {
        constexpr int first = std::max(0, s - height + 1);
        constexpr int last = std::min(blockRows - 1, s);
        addSourceRow<first, last>(rows[s] + offset, taps + s, sums);
        addShortColumn<height, s + 1>(rows, taps, offset, sums);
    }
}

// One source row with all columns: the order for tall kernels, most of whose source rows belong to all output rows and
// then pass through one tight loop.
template <int first, int last>
HWY_INLINE void addSourceRowOfAllColumns(const float *samples, const float *taps, const DenseTaps &kernel,
                                         BlockSums &sums) {
    for (int u = 0; u < kernel.width; ++u, samples += kernel.step, taps += kernel.height)
        addSourceRow<first, last>(samples, taps, sums);
}

template <int s = 0>
HWY_INLINE void addFirstRows(const float *const *rows, const DenseTaps &kernel, int sample, BlockSums &sums) {
    if constexpr (s < blockRows - 1) {
        addSourceRowOfAllColumns<0, s>(rows[s] + sample, kernel.columns + s, kernel, sums);
        addFirstRows<s + 1>(rows, kernel, sample, sums);
    }
}

template <int first = 1>
HWY_INLINE void addLastRows(const float *const *rows, const DenseTaps &kernel, int sample, BlockSums &sums) {
    if constexpr (first < blockRows) {
        const int s = kernel.height + first - 1;
        addSourceRowOfAllColumns<first, blockRows - 1>(rows[s] + sample, kernel.columns + s, kernel, sums);
        addLastRows<first + 1>(rows, kernel, sample, sums);
    }
}

// height: that of the kernel, or 0 for any from blockRows up.
template <int height>
HWY_INLINE void addKernel(const float *const *rows, const DenseTaps &kernel, int sample, BlockSums &sums) {
    if constexpr (height > 0) {
        for (int u = 0; u < kernel.width; ++u)
            addShortColumn<height>(rows, kernel.columns + u * height, sample + std::ptrdiff_t(u) * kernel.step, sums);
    } else {
        addFirstRows<>(rows, kernel, sample, sums);
        for (int s = blockRows - 1; s < kernel.height; ++s)
            addSourceRowOfAllColumns<0, blockRows - 1>(rows[s] + sample, kernel.columns + s, kernel, sums);
        addLastRows<>(rows, kernel, sample, sums);
    }
}

// Unrolled by hand, as sums that are indexed in a loop would not stay in registers.
template <int at = 0> HWY_INLINE void spill(const BlockSums &sums, float *stored) {
    if constexpr (at < blockRows * blockVectors) {
        hn::Store(sums.row[at / blockVectors][at % blockVectors], Floats(), stored + at * int(hn::Lanes(Floats())));
        spill<at + 1>(sums, stored);
    }
}

// The rows that the next block is the first to read come from memory while this one computes.
HWY_INLINE void fetchAhead(const DenseTaps &kernel, int sample) {
    if (kernel.nextRows == nullptr)
        return;
    const int lanes = int(hn::Lanes(Floats()));
    for (int j = 0; j < blockRows; ++j)
        for (int v = 0; v < blockVectors; ++v)
            hwy::Prefetch(kernel.nextRows[j] + sample + v * lanes);
}

// A whole chunk goes from the registers to its rows.
template <class Store, int at = 0>
HWY_INLINE void storeChunk(const Store &store, const BlockOutput &output, int sample, const BlockSums &sums) {
    if constexpr (at < blockRows * blockVectors) {
        constexpr int row = at / blockVectors, vector = at % blockVectors;
        auto *target = static_cast<typename Store::Stored *>(output.rows[std::size_t(row)]) + sample;
        store(sums.row[row][vector], target + vector * int(hn::Lanes(Floats())));
        storeChunk<Store, at + 1>(store, output, sample, sums);
    }
}

// Floats, that is: they need a multiply-add. Other samples take too much code to be had for every height. Without a
// lambda, as what one captures is in memory for GCC.
HWY_INLINE void storeFloatChunk(const BlockOutput &output, int sample, const BlockSums &sums) {
    if (output.raw)
        storeChunk(RawStore(), output, sample, sums);
    else if (output.streamed)
        storeChunk(StreamedStore(output.finish), output, sample, sums);
    else
        storeChunk(FinishedStore<float, true>(output.finish), output, sample, sums);
}

template <int height>
HWY_NOINLINE void denseOfHeight(const float *const *rows, const DenseTaps &kernel, const BlockOutput &output) {
    const Floats floats;
    const int chunk = blockVectors * int(hn::Lanes(floats));
    HWY_ALIGN float stored[blockRows * blockVectors * hn::MaxLanes(floats)];
    for (int sample = 0; sample < output.samples; sample += chunk) {
        fetchAhead(kernel, sample);
        BlockSums sums;
        for (auto &row : sums.row)
            for (FloatVector &sum : row)
                sum = hn::Zero(floats);
        addKernel<height>(rows, kernel, sample, sums);
        if (output.depth == Depth::F32 && output.rowCount == blockRows && sample + chunk <= output.samples) {
            storeFloatChunk(output, sample, sums);
            continue;
        }
        spill(sums, stored); // by way of the first-level cache
        finishBlock<blockVectors>(output, sample, stored);
    }
}

// Heights below blockRows have instances of their own: none of their source rows belongs to all rows of a block.
void dense(const float *const *rows, const DenseTaps &kernel, const BlockOutput &output) {
    switch (kernel.height) {
    case 1:
        return denseOfHeight<1>(rows, kernel, output);
    case 2:
        return denseOfHeight<2>(rows, kernel, output);
    case 3:
        return denseOfHeight<3>(rows, kernel, output);
    case 4:
        return denseOfHeight<4>(rows, kernel, output);
    case 5:
        return denseOfHeight<5>(rows, kernel, output);
    default:
        return denseOfHeight<0>(rows, kernel, output);
    }
}

} // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
