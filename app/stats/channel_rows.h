// Which channels statistics speak of, and their rows as plain lists of values.
#pragma once

#include "app/image/image.h"

#include <span>
#include <string>
#include <vector>

namespace tessera {

// Rec. 709 in ten-thousandths, so that integer luminance is exact.
inline constexpr unsigned lumaRed = 2126, lumaGreen = 7152, lumaBlue = 722, lumaWhole = 10'000;

// "Grey", "R", "G", "B", "A" in their order, then "Luminance" for colour pictures.
std::vector<std::string> statisticsChannels(PixelFormat format);

inline bool hasLuminance(PixelFormat format) { return format.colourChannels() == 3; }

// Nearest level to the weighted sum, ties to even. Values up to 65535.
constexpr unsigned lumaLevel(unsigned red, unsigned green, unsigned blue) {
    const unsigned sum = lumaRed * red + lumaGreen * green + lumaBlue * blue;
    const unsigned rounded = (sum + lumaWhole / 2) / lumaWhole;
    const bool tie = (sum + lumaWhole / 2) % lumaWhole == 0;
    return tie && rounded % 2 == 1 ? rounded - 1 : rounded;
}

inline double lumaOf(double red, double green, double blue) { return 0.2126 * red + 0.7152 * green + 0.0722 * blue; }

// Row y of one channel of a float picture; the index after the last channel means luminance. values has the width.
void readFloatChannel(const ConstPixelView &picture, int y, int channel, std::span<float> values);

// Row y of the luminance (or the grey) of any picture, unrounded, times `scale`.
void readLuma(const ConstPixelView &picture, int y, double scale, std::span<double> values);

} // namespace tessera
