// From sums to stored samples, a vector at a time: what gpu/image/finish.h says, bit for bit.
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

HWY_INLINE FloatVector quotient(const Finish &finish, FloatVector sum) {
    const Floats floats;
    // A division that cannot change the value is left out; any other stays a true one, as a product with the
    // reciprocal would round some ties the other way.
    if (finish.divisor != 1.0f)
        sum = hn::Div(sum, hn::Set(floats, finish.divisor));
    return hn::Add(sum, hn::Set(floats, finish.offset));
}

template <class Sample> HWY_INLINE void storeSamples(const Finish &finish, FloatVector sum, Sample *target) {
    const Floats floats;
    FloatVector value = quotient(finish, sum);
    if constexpr (std::is_same_v<Sample, float>) {
        hn::StoreU(value, floats, target);
    } else {
        constexpr float highest = float(std::numeric_limits<Sample>::max());
        if (finish.response == Response::Absolute)
            value = hn::Abs(value);
        else if (finish.response == Response::Signed)
            value = hn::Add(value, hn::Set(floats, (highest + 1.0f) / 2.0f));
        // Limited before the conversion, which knows no value beyond 32 bits. A NaN becomes 0 on the way: x86 returns
        // the second operand of Max, other platforms convert it to 0.
        value = hn::Min(hn::Max(value, hn::Zero(floats)), hn::Set(floats, highest));
        const hn::Rebind<Sample, Floats> narrow;
        hn::StoreU(hn::DemoteTo(narrow, hn::NearestInt(value)), narrow, target);
    }
}

template <class Sample> HWY_INLINE void storeOne(const Finish &finish, FloatVector sum, Sample *target) {
    storeSamples(finish, sum, target);
}

// Past the caches: a result larger than they are would only push out what is still needed, and a line that is written
// whole need not be read first.
HWY_INLINE void streamOne(const Finish &finish, FloatVector sum, float *target) {
    hn::Stream(quotient(finish, sum), Floats(), target);
}

HWY_INLINE void storeRaw(const Finish &, FloatVector sum, float *target) { hn::StoreU(sum, Floats(), target); }

// `samples` sums, of which the last vector may be a part.
template <class Sample, class Store>
HWY_INLINE void finishSamples(const Finish &finish, const float *sums, Sample *target, int samples,
                              const Store &store) {
    const Floats floats;
    constexpr std::size_t most = hn::MaxLanes(floats);
    const int lanes = int(hn::Lanes(floats));
    int i = 0;
    for (; i + lanes <= samples; i += lanes)
        store(finish, hn::LoadU(floats, sums + i), target + i);
    if (i >= samples)
        return;
    const std::size_t count = std::min(std::size_t(samples - i), most);
    HWY_ALIGN float part[most] = {};
    HWY_ALIGN Sample finished[most];
    std::memcpy(part, sums + i, count * sizeof(float));
    store(finish, hn::Load(floats, part), finished);
    std::memcpy(target + i, finished, count * sizeof(Sample));
}

// Calls run(store, target sample) with the way of storing that `output` asks for.
template <class Run> HWY_INLINE void withStore(const BlockOutput &output, const Run &run) {
    if (output.raw)
        run(storeRaw, float());
    else if (output.depth == Depth::U8)
        run(storeOne<std::uint8_t>, std::uint8_t());
    else if (output.depth == Depth::U16)
        run(storeOne<std::uint16_t>, std::uint16_t());
    else if (output.streamed)
        run(streamOne, float());
    else
        run(storeOne<float>, float());
}

// `rowCount` rows of sums, `pitch` floats apart, as samples from `first` on: up to `most` of them, as far as the output
// goes.
HWY_INLINE void finishRows(const BlockOutput &output, int first, int most, const float *sums, int pitch) {
    const int samples = std::min(most, output.samples - first);
    const Finish finish = output.finish; // a copy: stores could change what is behind a reference
    withStore(output, [&](const auto &store, auto sample) HWY_ATTR {
        for (int row = 0; row < output.rowCount; ++row) {
            auto *target = static_cast<decltype(sample) *>(output.rows[std::size_t(row)]) + first;
            finishSamples(finish, sums + std::ptrdiff_t(row) * pitch, target, samples, store);
        }
    });
}

// A chunk of `vectors` vectors a row.
template <int vectors> HWY_INLINE void finishBlock(const BlockOutput &output, int first, const float *sums) {
    const int chunk = vectors * int(hn::Lanes(Floats()));
    finishRows(output, first, chunk, sums, chunk);
}

HWY_INLINE void finishRow(const BlockOutput &output, const float *sums) {
    finishRows(output, 0, output.samples, sums, 0);
}

} // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
