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

// One row at a time: rows share nothing but the weights, and long runs along a row suit the caches.
inline constexpr int listedVectors = 8;

HWY_INLINE void sumListedChunk(const float *const *rows, std::span<const ListedTap> taps, int row, int sample,
                               FloatVector (&sums)[listedVectors]) {
    const Floats floats;
    const std::size_t lanes = hn::Lanes(floats);
    for (FloatVector &sum : sums)
        sum = hn::Zero(floats);
    for (const ListedTap &tap : taps) {
        const FloatVector weight = hn::Set(floats, tap.weight);
        const float *samples = rows[tap.firstRow + row] + tap.offset + sample;
        for (int v = 0; v < listedVectors; ++v)
            sums[v] = hn::MulAdd(weight, hn::LoadU(floats, samples + std::size_t(v) * lanes), sums[v]);
    }
}

template <class Sample, class Store>
HWY_INLINE void listedRow(const float *const *rows, std::span<const ListedTap> taps, const BlockOutput &output, int row,
                          const Store &store) {
    const int lanes = int(hn::Lanes(Floats()));
    const int chunk = listedVectors * lanes;
    const Finish finish = output.finish;
    Sample *target = static_cast<Sample *>(output.rows[std::size_t(row)]);
    FloatVector sums[listedVectors];
    int sample = 0;
    for (; sample + chunk <= output.samples; sample += chunk) {
        sumListedChunk(rows, taps, row, sample, sums);
        for (int v = 0; v < listedVectors; ++v)
            store(finish, sums[v], target + sample + v * lanes);
    }
    if (sample == output.samples)
        return;
    HWY_ALIGN float rest[listedVectors * hn::MaxLanes(Floats())];
    sumListedChunk(rows, taps, row, sample, sums);
    for (int v = 0; v < listedVectors; ++v)
        hn::Store(sums[v], Floats(), rest + v * lanes);
    finishSamples(finish, rest, target + sample, output.samples - sample, store);
}

void listed(const float *const *rows, std::span<const ListedTap> taps, const BlockOutput &output) {
    withStore(output, [&](const auto &store, auto sample) HWY_ATTR {
        for (int row = 0; row < output.rowCount; ++row)
            listedRow<decltype(sample)>(rows, taps, output, row, store);
    });
}

} // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
