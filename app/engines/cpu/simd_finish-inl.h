// From sums to stored samples, a vector at a time: what sample_finish.h says.
#if defined(TESSERA_SIMD_FINISH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_SIMD_FINISH_INL_H
#undef TESSERA_SIMD_FINISH_INL_H
#else
#define TESSERA_SIMD_FINISH_INL_H
#endif

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

// Whole numbers of four vectors as bytes in their order, limited to 0..255. x86 packs within blocks of 16 bytes; one
// permutation at the end then serves all four, where a vector at a time takes one each.
#if HWY_TARGET <= HWY_AVX3
inline constexpr bool packsFour = true;
HWY_INLINE void storeFourAsBytes(const hn::Vec<hn::RebindToSigned<Floats>> (&v)[4], std::uint8_t *target) {
    const __m512i first = _mm512_packs_epi32(v[0].raw, v[1].raw), second = _mm512_packs_epi32(v[2].raw, v[3].raw);
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    _mm512_storeu_si512(target, _mm512_permutexvar_epi32(order, _mm512_packus_epi16(first, second)));
}
#elif HWY_TARGET == HWY_AVX2
inline constexpr bool packsFour = true;
HWY_INLINE void storeFourAsBytes(const hn::Vec<hn::RebindToSigned<Floats>> (&v)[4], std::uint8_t *target) {
    const __m256i first = _mm256_packs_epi32(v[0].raw, v[1].raw), second = _mm256_packs_epi32(v[2].raw, v[3].raw);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(target),
                        _mm256_permutevar8x32_epi32(_mm256_packus_epi16(first, second), order));
}
#else
inline constexpr bool packsFour = false;
#endif

// The ways to store a vector of sums. Constants are spread over vectors once, when one is made. `plain` sums are only
// multiplied and shifted; others may be divided, take their magnitude and be NaN.
template <class Sample, bool plain> struct FinishedStore {
    using Stored = Sample;
    FloatVector factor, offset, kept, highest;
    bool divides;

    HWY_INLINE explicit FinishedStore(const SampleFinish &finish) {
        const Floats floats;
        factor = hn::Set(floats, finish.factor);
        offset = hn::Set(floats, finish.offset);
        // Without its sign bit a float is its magnitude.
        kept = hn::BitCast(floats, hn::Set(hn::RebindToUnsigned<Floats>(), finish.absolute ? 0x7fffffffu : ~0u));
        highest = hn::Set(floats, float(std::numeric_limits<Sample>::max()));
        divides = finish.divides;
    }

    HWY_INLINE FloatVector value(FloatVector sum) const {
        if constexpr (plain)
            return hn::MulAdd(sum, factor, offset);
        return hn::And(divides ? hn::Add(hn::Div(sum, factor), offset) : hn::MulAdd(sum, factor, offset), kept);
    }

    // Not above the highest level: the conversion knows no value beyond 32 bits. A NaN becomes 0: x86 returns the
    // second operand of Max, as its conversion would go by the NaN's sign, and other platforms convert it to 0. Sums of
    // integers that are `plain` need no such care: a NaN that arithmetic made there has its sign set, and converts to 0
    // itself.
    HWY_INLINE auto level(FloatVector sum) const {
        if constexpr (plain)
            return hn::NearestInt(hn::Min(highest, value(sum)));
        return hn::NearestInt(hn::Min(highest, hn::Max(value(sum), hn::Zero(Floats()))));
    }

    HWY_INLINE void operator()(FloatVector sum, Sample *target) const {
        const Floats floats;
        if constexpr (std::is_same_v<Sample, float>) {
            hn::StoreU(value(sum), floats, target);
        } else {
            const hn::Rebind<Sample, Floats> narrow;
            hn::StoreU(hn::DemoteTo(narrow, level(sum)), narrow, target); // which limits to the sample's range
        }
    }
};

// Past the caches: a result larger than they are would only push out what is still needed, and a line that is written
// whole need not be read first.
struct StreamedStore {
    using Stored = float;
    FinishedStore<float, true> finished;

    HWY_INLINE explicit StreamedStore(const SampleFinish &finish) : finished(finish) {}
    HWY_INLINE void operator()(FloatVector sum, float *target) const {
        hn::Stream(finished.value(sum), Floats(), target);
    }
};

struct RawStore {
    using Stored = float;
    HWY_INLINE void operator()(FloatVector sum, float *target) const { hn::StoreU(sum, Floats(), target); }
};

// Neighbouring vectors.
template <int vectors, class Store, class Sample>
HWY_INLINE void storeVectors(const Store &store, const FloatVector (&sums)[vectors], Sample *target) {
    const int lanes = int(hn::Lanes(Floats()));
    int v = 0;
    if constexpr (packsFour && std::is_same_v<Sample, std::uint8_t>)
        for (; v + 4 <= vectors; v += 4)
            storeFourAsBytes(
                {store.level(sums[v]), store.level(sums[v + 1]), store.level(sums[v + 2]), store.level(sums[v + 3])},
                target + v * lanes);
    for (; v < vectors; ++v)
        store(sums[v], target + v * lanes);
}

// `samples` sums, of which the last vector may be a part.
template <class Store, class Sample = typename Store::Stored>
HWY_INLINE void finishSamples(const Store &store, const float *sums, Sample *target, int samples) {
    const Floats floats;
    constexpr std::size_t most = hn::MaxLanes(floats);
    const int lanes = int(hn::Lanes(floats));
    int i = 0;
    for (; i + lanes <= samples; i += lanes)
        store(hn::LoadU(floats, sums + i), target + i);
    if (i >= samples)
        return;
    const std::size_t count = std::min(std::size_t(samples - i), most);
    HWY_ALIGN float part[most] = {};
    HWY_ALIGN Sample finished[most];
    std::memcpy(part, sums + i, count * sizeof(float));
    store(hn::Load(floats, part), finished);
    std::memcpy(target + i, finished, count * sizeof(Sample));
}

// Calls run(store) with the way of storing that `output` asks for.
template <class Run> HWY_INLINE void withStore(const BlockOutput &output, const Run &run) {
    const SampleFinish &finish = output.finish;
    if (output.raw)
        return run(RawStore());
    if (output.depth == Depth::F32) // float results are never divided and keep their sign
        return output.streamed ? run(StreamedStore(finish)) : run(FinishedStore<float, true>(finish));
    const bool plain = !finish.divides && !finish.absolute && !finish.mayBeNaN;
    if (output.depth == Depth::U8)
        return plain ? run(FinishedStore<std::uint8_t, true>(finish)) : run(FinishedStore<std::uint8_t, false>(finish));
    return plain ? run(FinishedStore<std::uint16_t, true>(finish)) : run(FinishedStore<std::uint16_t, false>(finish));
}

// `rowCount` rows of sums, `pitch` floats apart, as samples from `first` on: up to `most` of them, as far as the output
// goes.
HWY_INLINE void finishRows(const BlockOutput &output, int first, int most, const float *sums, int pitch) {
    const int samples = std::min(most, output.samples - first);
    withStore(output, [&](const auto &store) HWY_ATTR {
        using Sample = typename std::remove_cvref_t<decltype(store)>::Stored;
        for (int row = 0; row < output.rowCount; ++row) {
            Sample *target = static_cast<Sample *>(output.rows[std::size_t(row)]) + first;
            finishSamples(store, sums + std::ptrdiff_t(row) * pitch, target, samples);
        }
    });
}

// A chunk of `vectors` vectors a row.
template <int vectors> HWY_INLINE void finishBlock(const BlockOutput &output, int first, const float *sums) {
    const int lanes = int(hn::Lanes(Floats()));
    const int chunk = vectors * lanes;
    if (output.samples - first < chunk)
        return finishRows(output, first, chunk, sums, chunk);
    withStore(output, [&](const auto &store) HWY_ATTR {
        using Sample = typename std::remove_cvref_t<decltype(store)>::Stored;
        for (int row = 0; row < output.rowCount; ++row, sums += chunk) {
            Sample *target = static_cast<Sample *>(output.rows[std::size_t(row)]) + first;
            FloatVector loaded[vectors];
            for (int v = 0; v < vectors; ++v)
                loaded[v] = hn::Load(Floats(), sums + v * lanes);
            storeVectors(store, loaded, target);
        }
    });
}

HWY_INLINE void finishRow(const BlockOutput &output, const float *sums) {
    finishRows(output, 0, output.samples, sums, 0);
}

} // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
