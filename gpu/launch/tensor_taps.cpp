#include "gpu/launch/tensor_taps.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {

namespace {

constexpr int largestMultiple(int terms) { return terms == 1 ? 127 : 127 * 256 + 127; }
constexpr double largestSumOfMultiples = 2147483647.0 / 255.0; // the sums are 32-bit numbers

bool areMultiples(std::span<const float> taps, double step, int limit) {
    double sum = 0;
    for (const float tap : taps) {
        const double multiple = std::rint(double(tap) / step);
        if (std::fabs(multiple) > limit || std::fabs(multiple * step - double(tap)) > std::fabs(double(tap)) * 0x1p-23)
            return false;
        sum += std::fabs(multiple);
    }
    return sum <= largestSumOfMultiples;
}

// A step of which all taps are multiples: 1, as for taps typed in, or the smallest tap, as for those divided by their
// sum. 0 where neither is.
double commonStep(std::span<const float> taps, int limit) {
    double smallest = 0;
    for (const float tap : taps)
        if (tap != 0.0f && (smallest == 0 || std::fabs(double(tap)) < smallest))
            smallest = std::fabs(double(tap));
    for (const double step : {1.0, smallest})
        if (step > 0 && areMultiples(taps, step, limit))
            return step;
    return 0;
}

} // namespace

double sumOfMagnitudes(std::span<const float> taps) {
    return std::accumulate(taps.begin(), taps.end(), 0.0, [](double sum, float tap) { return sum + std::fabs(tap); });
}

WholeTaps wholeTaps(std::span<const float> taps, int terms) {
    WholeTaps whole;
    for (const int count : {1, 2}) {
        whole.terms = count;
        whole.step = commonStep(taps, largestMultiple(count));
        if (whole.step > 0 && (terms == 0 || terms == count))
            break;
    }
    whole.exact = whole.step > 0 && (terms == 0 || terms == whole.terms);
    if (!whole.exact) {
        whole.terms = terms == 1 ? 1 : 2;
        const double largest = std::fabs(*std::ranges::max_element(taps, {}, [](float tap) { return std::fabs(tap); }));
        whole.step = std::max(largest / largestMultiple(whole.terms),
                              sumOfMagnitudes(taps) / (largestSumOfMultiples - double(taps.size())));
    }
    for (const float tap : taps) {
        const double multiple = std::rint(double(tap) / whole.step);
        whole.multiples.push_back(int(multiple));
        whole.error += std::fabs(multiple * whole.step - double(tap));
    }
    return whole;
}

namespace {

// row-major taps; `value` is what stands in the words, `perWord` of them in one, `bits` each.
template <class Value>
void packRows(std::uint32_t *words, const TensorShape &shape, const ConvolutionRequest &request, int shift,
              Value value) {
    const int perWord = shape.shifts(), bits = 32 / perWord;
    const Taps &taps = *request.taps;
    for (int v = 0; v < taps.height; ++v)
        for (int term = 0; term < shape.terms; ++term)
            for (int word = 0; word < shape.rowWords(); ++word) {
                std::uint32_t packed = 0;
                for (int i = 0; i < perWord; ++i) {
                    const int u = perWord * (word - shape.leadingWords()) + i - shift;
                    if (u >= 0 && u < taps.width)
                        packed |= value(v * taps.width + u, term) << (bits * i);
                }
                *words++ = packed;
            }
}

bool isPowerOfTwo(float value) {
    int exponent = 0;
    return std::fabs(std::frexp(value, &exponent)) == 0.5f;
}

void packWhole(TensorOperands &operands, const ConvolutionRequest &request, const TensorShape &shape) {
    const WholeTaps whole = wholeTaps(tapsOf(request), shape.terms);
    packRows(operands.words, shape, request, operands.shift, [&](int i, int term) {
        const int multiple = whole.multiples[std::size_t(i)];
        if (shape.terms == 1)
            return std::uint32_t(multiple) & 0xffu;
        const int high = (multiple + 128) >> 8; // so that the rest is a signed byte
        return std::uint32_t(term == 0 ? high : multiple - high * 256) & 0xffu;
    });
    // Whole numbers of whole taps are divided as such; else the divisor is one more factor.
    if (whole.exact && !isPowerOfTwo(operands.finish.divisor)) {
        operands.step = float(whole.step);
    } else {
        operands.step = float(whole.step / double(operands.finish.divisor));
        operands.finish.divisor = 1;
    }
}

void packHalves(TensorOperands &operands, const ConvolutionRequest &request, const TensorShape &shape) {
    const std::span<const float> taps = tapsOf(request);
    float largest = 0;
    bool integers = true;
    for (const float tap : taps) {
        largest = std::max(largest, std::fabs(tap));
        integers = integers && tap == std::rint(tap);
    }
    int exponent = 0;
    if (largest > 0)
        (void)std::frexp(largest, &exponent);
    const int up = 15 - exponent; // the largest tap comes to lie in [2^14, 2^15)
    packRows(operands.words, shape, request, operands.shift, [&](int i, int term) {
        const float scaled = std::ldexp(taps[std::size_t(i)], up);
        const std::uint16_t high = halfBitsFromFloat(scaled);
        return std::uint32_t(term == 0 ? high : halfBitsFromFloat(scaled - floatFromHalfBits(high)));
    });
    operands.step = std::ldexp(1.0f, -up);
    if (!integers || isPowerOfTwo(operands.finish.divisor)) {
        operands.step /= operands.finish.divisor;
        operands.finish.divisor = 1;
    }
}

} // namespace

void packTaps(TensorOperands &operands, const ConvolutionRequest &request, const TensorShape &shape) {
    shape.number == TensorNumber::Whole ? packWhole(operands, request, shape) : packHalves(operands, request, shape);
}

} // namespace tessera
