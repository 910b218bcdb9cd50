// Taps from a list: for each, its weight is spread over a vector once and serves several rows and vectors. One load a
// multiply-add, so at most half the speed of the dense form a tap; it pays where the list is short, as in the passes of
// a separable filter or for a line of taps across a large kernel.
#if defined(TESSERA_SIMD_LISTED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_SIMD_LISTED_INL_H
#undef TESSERA_SIMD_LISTED_INL_H
#else
#define TESSERA_SIMD_LISTED_INL_H
#endif

#include "app/engines/cpu/simd_finish-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {

// One row at a time: rows share nothing but the weights, and long runs along a row suit the caches. Wide chunks share
// a weight among many vectors; what is left of a row takes narrow ones.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
inline constexpr int wideVectors = 16;
#else
inline constexpr int wideVectors = 8;
#endif
inline constexpr int narrowVectors = 4;

template <int vectors>
HWY_INLINE void sumListed(const float *const *rows, std::span<const ListedTap> taps, int sample,
                          FloatVector (&sums)[vectors]) {
    const Floats floats;
    const std::size_t lanes = hn::Lanes(floats);
    for (FloatVector &sum : sums)
        sum = hn::Zero(floats);
    for (const ListedTap &tap : taps) {
        const FloatVector weight = hn::Set(floats, tap.weight);
        const float *samples = rows[tap.firstRow] + tap.offset + sample;
        for (int v = 0; v < vectors; ++v)
            sums[v] = hn::MulAdd(weight, hn::LoadU(floats, samples + std::size_t(v) * lanes), sums[v]);
    }
}

// Whole chunks from `sample` on; returns where they end.
template <int vectors, class Store, class Sample = typename Store::Stored>
HWY_INLINE int listedChunks(const float *const *rows, std::span<const ListedTap> taps, const Store &store, int sample,
                            int end, Sample *target) {
    const int lanes = int(hn::Lanes(Floats()));
    for (; sample + vectors * lanes <= end; sample += vectors * lanes) {
        FloatVector sums[vectors];
        sumListed(rows, taps, sample, sums);
        storeVectors(store, sums, target + sample);
    }
    return sample;
}

template <class Store, class Sample = typename Store::Stored>
HWY_INLINE void listedRow(const float *const *rows, std::span<const ListedTap> taps, const Store &store, int samples,
                          Sample *target) {
    int sample = listedChunks<wideVectors>(rows, taps, store, 0, samples, target);
    sample = listedChunks<narrowVectors>(rows, taps, store, sample, samples, target);
    if (sample == samples)
        return;
    const int lanes = int(hn::Lanes(Floats()));
    HWY_ALIGN float rest[narrowVectors * hn::MaxLanes(Floats())];
    FloatVector sums[narrowVectors];
    sumListed(rows, taps, sample, sums);
    for (int v = 0; v < narrowVectors; ++v)
        hn::Store(sums[v], Floats(), rest + v * lanes);
    finishSamples(store, rest, target + sample, samples - sample);
}

void listed(const float *const *rows, std::span<const ListedTap> taps, const BlockOutput &output) {
    withStore(output, [&](const auto &store) HWY_ATTR {
        using Sample = typename std::remove_cvref_t<decltype(store)>::Stored;
        for (int row = 0; row < output.rowCount; ++row)
            listedRow(rows + row, taps, store, output.samples, static_cast<Sample *>(output.rows[std::size_t(row)]));
    });
}

} // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
