#include "app/filters/kernel.h"

#include "app/core/compensated_sum.h"
#include "app/core/error.h"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

bool allIntegers(const std::vector<double> &values) {
    return std::ranges::all_of(values, [](double value) { return value == std::rint(value); });
}

// Taps of a zero-sum kernel that were rounded to float32 on their way add up to about 1e-8 of their magnitudes.
// Dividing by such a remainder would only amplify noise, so it counts as zero. Integers add up exactly.
bool countsAsZero(double sum, const ConvolutionKernel &kernel) {
    if (sum == 0.0 || allIntegers(kernel.taps))
        return sum == 0.0;
    return std::abs(sum) <= 1e-7 * kernel.magnitude();
}

} // namespace

ConvolutionKernel ConvolutionKernel::centred(int width, int height, std::vector<double> taps, std::string name) {
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    if (width < 1 || height < 1 || width > maximumSide || height > maximumSide)
        throw Error(ErrorKind::Usage, "a kernel of " + size + " taps is not possible",
                    "each side may be 1 to " + std::to_string(maximumSide));
    if (taps.size() != std::size_t(width) * std::size_t(height))
        throw Error(ErrorKind::Usage, "a kernel of " + size + " needs " + std::to_string(width * height) +
                                          " taps, not " + std::to_string(taps.size()));
    if (!std::ranges::all_of(taps, [](double tap) { return std::isfinite(tap); }))
        throw Error(ErrorKind::Usage, "a kernel's taps must be finite numbers");
    ConvolutionKernel kernel;
    kernel.width = width;
    kernel.height = height;
    kernel.anchorX = width / 2;
    kernel.anchorY = height / 2;
    kernel.taps = std::move(taps);
    kernel.name = std::move(name);
    return kernel;
}

// Compensated: large taps of both signs must not hide that their sum is zero.
double ConvolutionKernel::sum() const {
    CompensatedSum total;
    for (double tap : taps)
        total.add(tap);
    return total.value();
}

double ConvolutionKernel::magnitude() const {
    double total = 0;
    for (const double tap : taps)
        total += std::abs(tap);
    return total;
}

double ConvolutionKernel::effectiveDivisor() const {
    if (divisor)
        return *divisor;
    const double total = sum();
    return countsAsZero(total, *this) ? 1.0 : total;
}

bool ConvolutionKernel::hasNegativeTaps() const {
    return std::ranges::any_of(taps, [](double tap) { return tap < 0.0; });
}

ConvolutionKernel ConvolutionKernel::rotated180() const {
    ConvolutionKernel rotated = *this;
    std::ranges::reverse(rotated.taps);
    rotated.anchorX = width - 1 - anchorX;
    rotated.anchorY = height - 1 - anchorY;
    return rotated;
}

ConvolutionKernel ConvolutionKernel::normalized() const {
    ConvolutionKernel result = *this;
    if (const double total = sum(); !countsAsZero(total, *this))
        result.divisor = total;
    return result;
}

} // namespace tessera
