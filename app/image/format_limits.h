// What a file format cannot hold besides depths and channels (cannotHold in image_io.h), asked before anything is
// encoded. The encoders refuse the same: a test holds the two together.
#pragma once

#include "app/image/image_io.h"

#include <cstdint>
#include <string>

namespace tessera {

// The longest sides that formats can state, in pixels.
inline constexpr int longestJpegSide = 65500; // libjpeg's JPEG_MAX_DIMENSION; its 16 bits would state 65535
inline constexpr int longestWebpSide = 16383; // 14 bits
inline constexpr int longestTgaSide = 65535;  // 16 bits

// The bytes of a BMP's pixels, whose header counts in 32 bits with its own bytes; of a row, padded to 4.
inline constexpr std::uint64_t largestBmp = 0xffff'0000u;
inline std::uint64_t bmpRowBytes(int width, int channels) {
    return (std::uint64_t(width) * std::uint64_t(channels) + 3) / 4 * 4;
}

// Radiance's exponent goes up to 127: from here on the mantissa rounds up to 128. In words, 1.7e38.
inline constexpr double largestRgbe = 255.5 * 0x1.0p119;
inline constexpr const char *valuesBeyondRgbe = "values above 1.7e38";

std::string upperCaseName(const FormatInfo &format); // "TIFF", for messages

// Whether SaveOptions::quality makes a difference to it. Not what `lossy` says: Radiance HDR rounds, always alike.
bool usesQuality(const FormatInfo &format);

// Empty where `format` can hold so many pixels of this kind; else the reason, in the words of cannotHold.
std::string cannotHoldSize(const FormatInfo &format, PixelFormat picture, int width, int height);

// What may stand in a float picture, beside finite values of an ordinary size.
struct FloatValues {
    std::uint64_t notNumbers = 0, infinite = 0;
    bool negative = false; // finite ones
    double largest = 0;    // the largest finite one
};

// Empty where `format` can hold float values such as these; else what of them it cannot: "negative values and 3 NaN
// values".
std::string valuesNotHeld(const FormatInfo &format, const FloatValues &values);

// Whether nothing of this stands in the way: neither cannotHold and cannotHoldSize nor valuesNotHeld has a reason.
// `values` of a float picture; of others there is nothing to say.
bool holds(const FormatInfo &format, PixelFormat picture, int width, int height, const FloatValues &values);

// Whether there are float values that `format` cannot hold at all, though it holds floats.
bool limitsValues(const FormatInfo &format);

} // namespace tessera
