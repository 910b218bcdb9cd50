#include "gpu/launch/level_digits.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tessera {

namespace {

constexpr double digitBase = 256.0;
constexpr double finestStep = 1 / (digitBase * digitBase); // of the third digit, where the first one's is 1
constexpr double mostOfDigits = 127 + 127 / digitBase + 127 * finestStep;

bool isPowerOfTwo(double value) {
    int exponent = 0;
    return std::fabs(std::frexp(value, &exponent)) == 0.5;
}

double largestOf(const std::vector<double> &taps) {
    double largest = 0;
    for (const double tap : taps)
        largest = std::max(largest, std::fabs(tap));
    return largest;
}

double magnitudeOf(const std::vector<double> &taps) {
    double sum = 0;
    for (const double tap : taps)
        sum += std::fabs(tap);
    return sum;
}

// Steps and quotients stay far from what floats cannot hold.
bool isModerate(const std::vector<double> &taps, double divisor) {
    const auto moderate = [](double value) { return value >= 0x1p-40 && value <= 0x1p40; };
    return std::ranges::all_of(taps, [](double tap) { return std::isfinite(tap); }) &&
           (largestOf(taps) == 0 || moderate(largestOf(taps))) && moderate(std::fabs(divisor));
}

// The first digit's step: the smallest of `bits` bits (0: a power of two) that leaves room for the largest tap.
double firstStep(const std::vector<double> &taps, int bits) {
    const double largest = largestOf(taps);
    if (largest == 0)
        return 1;
    int exponent = 0;
    const double fraction = std::frexp(largest / mostOfDigits, &exponent);
    return std::ldexp(std::ceil(std::ldexp(fraction, bits)), exponent - bits);
}

bool areMultiples(const std::vector<double> &taps, double step) {
    return std::ranges::all_of(taps, [&](double tap) { return tap / step == std::rint(tap / step); });
}

// Whole sums divided by an odd number end half a level from a whole one nowhere, so that rounded quotients of the taps
// give the same levels: the nearest end half a divisor's share away, and errors are smaller.
bool tiesAreFar(const std::vector<double> &taps, const Finish &finish) {
    const double divisor = double(finish.divisor), offset = double(finish.offset);
    const double error = (double(taps.size()) + 3) * 0x1p-24 * 255 * magnitudeOf(taps);
    return areMultiples(taps, 1) && offset == std::rint(offset) && std::fabs(std::fmod(divisor, 2)) == 1 && error < 0.5;
}

// Signed digits, the first of which takes what the others leave.
void writeDigits(LevelDigits &digits, const std::vector<double> &taps, int side, double first) {
    auto *bytes = reinterpret_cast<signed char *>(digits.taps);
    for (int v = 0; v < side; ++v)
        for (int u = 0; u < side; ++u) {
            long long rest = std::llrint(taps[std::size_t(v * side + u)] / (first * finestStep));
            for (int d = levelDigits - 1; d >= 0; --d) {
                const long long digit = d == 0 ? rest : ((rest + 128) & 255) - 128;
                bytes[(d * side + v) * 4 * levelTapWords + u] = static_cast<signed char>(digit);
                rest = (rest - digit) / 256;
            }
        }
}

// base: three sums begin with 1.5 * 2^23 each. Exact, as the first step has 6 bits at most.
void writeScales(LevelFinish &finish, double first) {
    double scales = 0;
    for (int d = 0; d < levelDigits; ++d) {
        finish.scale[d] = float(std::ldexp(first, -8 * d));
        scales += double(finish.scale[d]);
    }
    finish.base = float(-0x1.8p23 * scales);
}

void writeResponse(LevelFinish &result, const Finish &finish, double divisor) {
    const bool absolute = finish.response == Response::Absolute;
    // Sums and whole offsets are added without rounding in between; a shift for signs is even, so that ties stay.
    const bool whole = std::fabs(finish.offset) <= 0x1p20f && finish.offset == std::rint(finish.offset);
    float bias = finish.response == Response::Signed ? 128.0f : 0.0f;
    if (whole && !absolute)
        bias += finish.offset;
    else
        result.offset = finish.offset;
    result.bias = bias * 0x1p-149f;
    result.mask = absolute ? 0x7fffffffu : ~0u;
    result.divisor = float(divisor);
    result.reciprocal = 1.0f / result.divisor;
    result.plain = divisor == 1.0 && result.offset == 0.0f && bias == 0.0f && !absolute;
}

// What rounding the taps and the float steps of their sum, the division and the offset included, may add up to. Where
// no tap is rounded, no more than sums of products in float have.
bool preciseEnough(const std::vector<double> &taps, double step) {
    double rounded = 0;
    for (const double tap : taps)
        rounded += std::fabs(tap - std::rint(tap / step) * step);
    const auto count = double(std::ranges::count_if(taps, [](double tap) { return tap != 0; }));
    return rounded == 0 || rounded + 1.53 * largestOf(taps) * 0x1p-24 <= (count - 2) * magnitudeOf(taps) * 0x1p-24;
}

} // namespace

std::optional<LevelDigits> levelDigitsOf(std::span<const float> given, int side, const Finish &finish) {
    std::vector<double> taps(given.begin(), given.end());
    double divisor = double(finish.divisor);
    if (!isModerate(taps, divisor))
        return std::nullopt;
    const bool exact = areMultiples(taps, firstStep(taps, 0) * finestStep);
    if (!exact || isPowerOfTwo(divisor) || tiesAreFar(taps, finish)) {
        for (double &tap : taps)
            tap /= divisor;
        divisor = 1.0;
    }
    constexpr int mostBits = 6;
    double first = firstStep(taps, 0);
    if (!areMultiples(taps, first * finestStep))
        first = firstStep(taps, mostBits);
    if (!preciseEnough(taps, first * finestStep))
        return std::nullopt;
    LevelDigits digits;
    writeDigits(digits, taps, side, first);
    writeScales(digits.finish, first);
    writeResponse(digits.finish, finish, divisor);
    return digits;
}

} // namespace tessera
