// What a file format cannot hold besides depths and channels (cannotHold in image_io.h), asked before anything is
// encoded. The encoders refuse the same: a test holds the two together.
#pragma once

#include "app/image/image_io.h"

#include <cstdint>
#include <string>

namespace tessera {

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

// Whether there are float values that `format` cannot hold at all, though it holds floats.
bool limitsValues(const FormatInfo &format);

} // namespace tessera
