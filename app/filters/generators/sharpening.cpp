#include "app/filters/generators/generators.h"
#include "app/filters/generators/taps.h"

#include <array>

namespace tessera {

namespace {

// picture - amount * laplacian, with the laplacian of the four neighbours.
FilterProgram sharpen(const Parameters &parameters) {
    const double a = parameters.real("amount");
    return singleKernel(ConvolutionKernel::centred(3, 3, {0, -a, 0, -a, 1 + 4 * a, -a, 0, -a, 0}));
}

// picture + amount * (picture - gaussian), in one kernel.
FilterProgram unsharp(const Parameters &parameters) {
    const double amount = parameters.real("amount");
    const int radius = gaussianRadius(parameters.real("sigma"));
    std::vector<double> taps = gaussianSquare(parameters.real("sigma"), radius);
    for (double &tap : taps)
        tap *= -amount;
    taps[taps.size() / 2] += 1.0 + amount;
    settleSum(taps, 1.0);
    return singleKernel(ConvolutionKernel::centred(2 * radius + 1, 2 * radius + 1, std::move(taps)));
}

// picture + amount * (picture - mean of 3x3), times 9 (Gonzalez and Woods, Digital Image Processing, 3.6.3: unsharp
// masking for amount 1, highboost filtering above).
FilterProgram highBoost(const Parameters &parameters) {
    const double amount = parameters.real("amount");
    std::vector<double> taps(9, -amount);
    taps[4] = 9.0 + 8.0 * amount;
    return singleKernel(ConvolutionKernel::centred(3, 3, std::move(taps)), 9.0);
}

constexpr std::array<NamedGenerator, 3> generators{{
    {"sharpen", sharpen},
    {"unsharp", unsharp},
    {"high-boost", highBoost},
}};

} // namespace

std::span<const NamedGenerator> sharpeningGenerators() { return generators; }

} // namespace tessera
