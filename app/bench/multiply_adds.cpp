// The peak of multiply-adds on a core, compiled for every instruction set as the cpu engine is: chains that do not wait
// for each other, and nothing else.
#include "app/bench/host_ceilings.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "app/bench/multiply_adds.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <atomic>

HWY_BEFORE_NAMESPACE();
namespace tessera::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Two units of latency 4 or 5 need ten chains; twelve registers in all fit the sixteen of AVX2.
double multiplyAdds(long steps, float *sink) {
    const hn::ScalableTag<float> tag;
    const auto factor = hn::Set(tag, 0.999f), summand = hn::Set(tag, 0.001f);
    auto s0 = hn::Iota(tag, 0), s1 = hn::Iota(tag, 1), s2 = hn::Iota(tag, 2), s3 = hn::Iota(tag, 3),
         s4 = hn::Iota(tag, 4), s5 = hn::Iota(tag, 5), s6 = hn::Iota(tag, 6), s7 = hn::Iota(tag, 7),
         s8 = hn::Iota(tag, 8), s9 = hn::Iota(tag, 9);
    for (long step = 0; step < steps; ++step) {
        s0 = hn::MulAdd(s0, factor, summand);
        s1 = hn::MulAdd(s1, factor, summand);
        s2 = hn::MulAdd(s2, factor, summand);
        s3 = hn::MulAdd(s3, factor, summand);
        s4 = hn::MulAdd(s4, factor, summand);
        s5 = hn::MulAdd(s5, factor, summand);
        s6 = hn::MulAdd(s6, factor, summand);
        s7 = hn::MulAdd(s7, factor, summand);
        s8 = hn::MulAdd(s8, factor, summand);
        s9 = hn::MulAdd(s9, factor, summand);
    }
    s0 = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)), hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)));
    *sink = hn::GetLane(hn::Add(s0, hn::Add(s8, s9)));
    return 2.0 * 10 * double(hn::Lanes(tag)) * double(steps);
}

const char *targetName() { return hwy::TargetName(HWY_TARGET); }

} // namespace tessera::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::bench {

HWY_EXPORT(multiplyAdds);
HWY_EXPORT(targetName);

double runMultiplyAdds(long steps) {
    static std::atomic<float> seen; // so that no compiler drops the loop
    float sink = 0;
    const double operations = HWY_DYNAMIC_DISPATCH(multiplyAdds)(steps, &sink);
    seen.store(sink, std::memory_order_relaxed);
    return operations;
}

std::string hostPeakInstructionSet() { return HWY_DYNAMIC_DISPATCH(targetName)(); }

} // namespace tessera::bench
#endif
