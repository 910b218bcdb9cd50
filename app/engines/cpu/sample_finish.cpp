#include "app/engines/cpu/sample_finish.h"

#include <algorithm>
#include <cmath>

namespace tessera::cpu {

namespace {

bool isWhole(double value) { return value == std::rint(value); }

bool isPowerOfTwo(float value) {
    int exponent = 0;
    return std::fabs(std::frexp(value, &exponent)) == 0.5f;
}

// Whether a quotient of whole numbers by this divisor keeps clear of ties by more than the product's rounding.
bool isFarFromTies(float divisor, double highest) {
    constexpr double roundings = 0x1p-22; // of the reciprocal and of the product, with room
    return std::fmod(std::fabs(divisor), 2.0f) == 1.0f && highest * roundings < 0.5 / std::fabs(double(divisor));
}

bool mayMultiply(const Finish &finish, const ConvolutionKernel &kernel, Depth target) {
    if (target == Depth::F32 || isPowerOfTwo(finish.divisor))
        return true;
    if (!std::ranges::all_of(kernel.taps, isWhole) || !isWhole(double(finish.divisor)))
        return true; // ties are accidents of rounding then
    return isWhole(double(finish.offset)) && isFarFromTies(finish.divisor, nominalMaximum(target));
}

} // namespace

SampleFinish sampleFinish(const Finish &finish, const ConvolutionKernel &kernel, Depth target) {
    SampleFinish result;
    result.offset = finish.offset;
    result.divides = !mayMultiply(finish, kernel, target);
    result.factor = result.divides ? finish.divisor : float(1.0 / double(finish.divisor));
    if (target != Depth::F32) {
        result.absolute = finish.response == Response::Absolute;
        if (finish.response == Response::Signed)
            result.offset += float((nominalMaximum(target) + 1.0) / 2.0);
    }
    return result;
}

} // namespace tessera::cpu
