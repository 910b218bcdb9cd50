// The planner behind `auto` on a GPU: which variant filters a picture, and why.
#pragma once

#include "app/engines/kernel_variants.h"
#include "gpu/launch/speed_table.h"

#include <deque>
#include <mutex>
#include <string>
#include <utility>

namespace tessera {

struct VariantAdvice {
    VariantChoice choice;
    double milliseconds = 0; // predicted, of the kernel alone
    std::string reason;      // one line: "blocked: 0.14 ms expected, tiled-float4 1.11 (as measured on NVIDIA H200)"
};

// Whether `variant` is exact enough for job.precision. Float32: what float sums of all taps promise, or else a 50th of
// a level for integers and 2e-5 of what the kernel makes of the largest value for floats: worst cases, far above the
// errors that a picture shows. Level: half a level for integers on top of rounding.
bool preciseEnough(const ConvolutionJob &job, const VariantChoice &choice, double largest);

// The fastest of those that can run the job, are precise enough and were measured. Of two that are expected to differ
// by less than 3 % the one that adds up the taps themselves rather than rearranging the sum. `finite`: the picture
// holds neither infinities nor NaN, which fft and separable would spread beyond the kernel's reach. Where nothing fits
// the advice is naive, whose refusal then says why.
VariantAdvice adviseVariant(const ConvolutionJob &job, const DeviceLimits &limits, const SpeedTable &speeds,
                            bool finite = true);

// Variants that let a NaN or an infinity of a float picture out of the kernel's reach: fft into the whole tile,
// separable into the outputs beside it, which share products and are computed with zeros around the taps.
constexpr bool spreadsNonfinite(KernelVariant variant) {
    return variant == KernelVariant::Fft || variant == KernelVariant::Separable;
}

// The latest advice, so that filtering picture after picture asks once. Safe for several threads.
class AdviceCache {
public:
    VariantAdvice adviceFor(const ConvolutionJob &job, const DeviceLimits &limits, const SpeedTable &speeds,
                            bool finite = true);

private:
    struct Question {
        ConvolutionKernel kernel;
        int width = 0, height = 0;
        PixelFormat from, to;
        BorderMode border = BorderMode::Zero;
        double constant = 0;
        float divisor = 1;
        Precision precision = Precision::Float32;
        bool finite = true;

        bool matches(const ConvolutionJob &job, bool finite) const;
    };
    static constexpr std::size_t kept = 8; // the kernels of a chain

    std::mutex mutex_;
    std::deque<std::pair<Question, VariantAdvice>> answers_; // the latest first
};

} // namespace tessera
