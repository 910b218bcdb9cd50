// How long each variant takes for which kernels and pixels, as measured on one device: what the planner behind `auto`
// decides by. Pure host code.
#pragma once

#include "gpu/image/scalar_type.h"
#include "gpu/launch/plan.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

// What a time depends on, but for the sizes.
struct SpeedKey {
    KernelVariant variant = KernelVariant::Naive;
    ScalarType type = ScalarType::F32; // of the source
    int channels = 1;                  // 1 or 4; fft: 1, its megapixels hold the others
    int terms = 0;                     // separable: of its sum; else 0

    friend bool operator==(const SpeedKey &, const SpeedKey &) = default;
};

struct SpeedPoint {
    SpeedKey key;
    double work = 0;                     // workOf()
    double millisecondsPerMegapixel = 0; // out of memory, not out of caches; launchMilliseconds() come on top

    friend bool operator==(const SpeedPoint &, const SpeedPoint &) = default;
};

// What the time of a variant grows with: the taps; half the kernel's circumference where it is separated; 0 where the
// kernel's size does not matter (fft).
double workOf(KernelVariant variant, int tapsWidth, int tapsHeight);

// Milliseconds that a variant takes for the smallest of pictures: its launches, and the way of a block from its first
// load to its last store. Measured on one NVIDIA H200 with 256x256 pixels (tests/bench/gpu-notes.md).
double launchMilliseconds(KernelVariant variant);

// What it grows with besides: the outputs; for fft the values that are transformed, whole tiles of them.
double megapixelsOf(KernelVariant variant, const ConvolutionShape &shape);

struct SpeedTable {
    std::string device; // that it was measured on: "NVIDIA H200"
    std::vector<SpeedPoint> points;

    // Milliseconds a megapixel; nothing where the variant was never measured. Between two points linear in the work,
    // before the first as the first, behind the last in proportion to the work. What was not measured is taken from
    // what was: four channels as four times one, then other pixels as float.
    std::optional<double> predict(const SpeedKey &key, double work) const;

    // Takes the points in, each in the place of the one with its key and work.
    void merge(std::span<const SpeedPoint> measured);
};

// Measured on one NVIDIA H200 (tests/bench/gpu-notes.md): for devices that nothing is known of yet. The ratios between
// variants, which are all that counts, carry over better than the times.
const SpeedTable &builtInSpeeds();

} // namespace tessera
