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

// Up to a chunk of one row: `sums` holds whole vectors, of which `samples` samples are stored.
template <class Sample>
HWY_INLINE void finishSamples(const Finish &finish, const float *sums, Sample *target, int samples) {
    const Floats floats;
    const int lanes = int(hn::Lanes(floats));
    int i = 0;
    for (; i + lanes <= samples; i += lanes)
        storeSamples(finish, hn::Load(floats, sums + i), target + i);
    if (i == samples)
        return;
    HWY_ALIGN Sample rest[hn::MaxLanes(floats)];
    storeSamples(finish, hn::Load(floats, sums + i), rest);
    std::memcpy(target + i, rest, std::size_t(samples - i) * sizeof(Sample));
}

// One row of a chunk, at sample `first` of the output.
HWY_INLINE void finishChunkRow(const BlockOutput &output, int row, int first, int samples, const float *sums) {
    void *target = output.rows[std::size_t(row)];
    if (output.raw)
        std::memcpy(static_cast<float *>(target) + first, sums, std::size_t(samples) * sizeof(float));
    else if (output.depth == Depth::U8)
        finishSamples(output.finish, sums, static_cast<std::uint8_t *>(target) + first, samples);
    else if (output.depth == Depth::U16)
        finishSamples(output.finish, sums, static_cast<std::uint16_t *>(target) + first, samples);
    else
        finishSamples(output.finish, sums, static_cast<float *>(target) + first, samples);
}

} // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
