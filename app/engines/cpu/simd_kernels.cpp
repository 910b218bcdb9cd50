// Compiled once for every instruction set that Highway knows for the platform: foreach_target.h includes this file
// again and again. Highway, because one source then serves SSE4 to AVX-512 and NEON, chosen at run time.
#include "app/engines/cpu/simd_kernels.h"

#include <algorithm>
#include <bit>
#include <cstring>

// Sums live in arrays of vectors, which the sizeless vectors of SVE and RVV cannot; SSSE3 is no faster than what it
// would replace.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
// clang-format off: Highway's headers come in this order
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "app/engines/cpu/simd_kernels.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After Highway, which decides what a target is.
#include "app/engines/cpu/simd_dense-inl.h"
#include "app/engines/cpu/simd_finish-inl.h"
#include "app/engines/cpu/simd_fourier-inl.h"
#include "app/engines/cpu/simd_listed-inl.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace tessera::cpu::HWY_NAMESPACE {

// With a row that will be wanted soon, one of its cache lines for every one that is read: each row is a new stream to
// the memory's own prefetching, and over before that has noticed.
HWY_INLINE void fetchLine(const void *ahead, std::size_t byte) {
    if (ahead != nullptr && byte % 64 == 0)
        hwy::Prefetch(static_cast<const std::byte *>(ahead) + byte);
}

template <class Sample> void widenSamples(const Sample *source, float *target, int samples, const void *ahead) {
    const hn::ScalableTag<float> floats;
    const hn::Rebind<std::int32_t, decltype(floats)> integers;
    const hn::Rebind<Sample, decltype(floats)> narrow;
    const int lanes = int(hn::Lanes(floats));
    int i = 0;
    for (; i + lanes <= samples; i += lanes) {
        fetchLine(ahead, std::size_t(i) * sizeof(Sample));
        hn::StoreU(hn::ConvertTo(floats, hn::PromoteTo(integers, hn::LoadU(narrow, source + i))), floats, target + i);
    }
    for (; i < samples; ++i)
        target[i] = static_cast<float>(source[i]);
}

void widen(const void *source, Depth depth, float *target, int samples, const void *ahead) {
    if (depth == Depth::U8)
        widenSamples(static_cast<const std::uint8_t *>(source), target, samples, ahead);
    else if (depth == Depth::U16)
        widenSamples(static_cast<const std::uint16_t *>(source), target, samples, ahead);
    else
        std::memcpy(target, source, std::size_t(samples) * sizeof(float));
}

float largestMagnitude(const float *values, int count, const void *ahead) {
    // Without its sign a float is the larger the larger its bits are as an integer, NaN beyond infinity.
    const hn::Rebind<std::int32_t, Floats> integers;
    const int lanes = int(hn::Lanes(integers));
    const auto unsignedBits = hn::Set(integers, 0x7fffffff);
    auto most = hn::Zero(integers);
    int i = 0;
    for (; i + lanes <= count; i += lanes) {
        fetchLine(ahead, std::size_t(i) * sizeof(float));
        const auto bits = hn::BitCast(integers, hn::LoadU(Floats(), values + i));
        most = hn::Max(most, hn::And(bits, unsignedBits));
    }
    std::int32_t largest = hn::GetLane(hn::MaxOfLanes(integers, most));
    for (; i < count; ++i)
        largest = std::max(largest, std::bit_cast<std::int32_t>(values[i]) & 0x7fffffff);
    return std::bit_cast<float>(largest);
}

void separate(const float *samples, int channels, int pixels, float *const *rows) {
    const Floats floats;
    const int lanes = int(hn::Lanes(floats));
    FloatVector a, b, c, d;
    int x = 0;
    for (; x + lanes <= pixels; x += lanes, samples += lanes * channels) {
        if (channels == 2) {
            hn::LoadInterleaved2(floats, samples, a, b);
        } else if (channels == 3) {
            hn::LoadInterleaved3(floats, samples, a, b, c);
            hn::StoreU(c, floats, rows[2] + x);
        } else {
            hn::LoadInterleaved4(floats, samples, a, b, c, d);
            hn::StoreU(c, floats, rows[2] + x);
            hn::StoreU(d, floats, rows[3] + x);
        }
        hn::StoreU(a, floats, rows[0] + x);
        hn::StoreU(b, floats, rows[1] + x);
    }
    for (; x < pixels; ++x)
        for (int channel = 0; channel < channels; ++channel)
            rows[channel][x] = *samples++;
}

void join(const float *const *rows, int channels, int pixels, float *samples) {
    const Floats floats;
    const int lanes = int(hn::Lanes(floats));
    int x = 0;
    for (; x + lanes <= pixels; x += lanes, samples += lanes * channels) {
        const FloatVector a = hn::LoadU(floats, rows[0] + x), b = hn::LoadU(floats, rows[1] + x);
        if (channels == 2)
            hn::StoreInterleaved2(a, b, floats, samples);
        else if (channels == 3)
            hn::StoreInterleaved3(a, b, hn::LoadU(floats, rows[2] + x), floats, samples);
        else
            hn::StoreInterleaved4(a, b, hn::LoadU(floats, rows[2] + x), hn::LoadU(floats, rows[3] + x), floats,
                                  samples);
    }
    for (; x < pixels; ++x)
        for (int channel = 0; channel < channels; ++channel)
            *samples++ = rows[channel][x];
}

void finish(const float *sums, const BlockOutput &output) { finishRow(output, sums); }

const SimdKernels &kernels() {
    constexpr Floats floats;
    static const SimdKernels all{
        hwy::TargetName(HWY_TARGET),
        int(hn::Lanes(floats)),
        blockRows,
        blockVectors * int(hn::Lanes(floats)),
        narrowVectors * int(hn::Lanes(floats)),
        wideVectors * int(hn::Lanes(floats)),
        &dense,
        &listed,
        &widen,
        &largestMagnitude,
        &separate,
        &join,
        &finish,
        {&forwardColumns, &inverseColumns, &filterRows, &spectrumOfRows},
    };
    return all;
}

} // namespace tessera::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::cpu {

HWY_EXPORT(kernels);

namespace {

// Asks for the kernels of each target in turn by pretending that the machine has no other.
std::vector<const SimdKernels *> collectKernels() {
    std::vector<const SimdKernels *> all;
    const std::int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
    for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
        hwy::SetSupportedTargetsForTest(rest & -rest);
        hwy::GetChosenTarget().Update(hwy::SupportedTargets());
        all.push_back(&HWY_DYNAMIC_DISPATCH(kernels)());
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return all;
}

} // namespace

const std::vector<const SimdKernels *> &availableSimdKernels() {
    static const std::vector<const SimdKernels *> all = collectKernels();
    return all;
}

} // namespace tessera::cpu
#endif
