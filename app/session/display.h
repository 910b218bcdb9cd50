// From pictures of any depth to what a screen shows: 32-bit words 0xAARRGGBB, colours premultiplied by alpha.
#pragma once

#include "app/core/run_control.h"
#include "app/image/image.h"

#include <cstdint>
#include <string>

namespace tessera {

// Float pictures from these formats hold linear light and are shown through the sRGB curve; all other values are
// shown as they are stored. Values outside the nominal range saturate; NaN shows as black.
bool holdsLinearLight(const Image &image);
// The same of a picture of this depth in a file of this format ("png", "pfm").
bool holdsLinearLight(const std::string &format, Depth depth);

// Writes region.height rows of region.width words, `pitch` words apart. The region must lie inside the picture.
void renderPicture(const Image &picture, const Rectangle &region, std::uint32_t *target, std::ptrdiff_t pitch);

enum class DifferenceMode : std::uint8_t {
    Signed,     // grey where equal, brighter where `after` is larger, per channel
    Absolute,   // |after - before|, per channel
    Amplified,  // the same times the gain
    FalseColour // the largest channel's |after - before| times the gain: black, violet, red, yellow, white
};

// The difference of two pictures of one size and channel count, each scaled by its own nominal range, so that
// depths may differ. Alpha takes no part; the difference is opaque.
void renderDifference(const Image &before, const Image &after, const Rectangle &region, DifferenceMode mode,
                      double gain, std::uint32_t *target, std::ptrdiff_t pitch);
// The same of two parts of one size.
void renderDifference(const ConstPixelView &before, const ConstPixelView &after, DifferenceMode mode, double gain,
                      std::uint32_t *target, std::ptrdiff_t pitch);

// Where |after - before| is largest over all colours, scaled as above; the first such place from the top left. Pictures
// of one size and channel count.
struct LargestDifference {
    int x = 0, y = 0;
    double share = 0; // of the full range
};
LargestDifference findLargestDifference(const ConstPixelView &before, const ConstPixelView &after,
                                        const RunControl &control = {});
inline LargestDifference findLargestDifference(const Image &before, const Image &after,
                                               const RunControl &control = {}) {
    return findLargestDifference(before.view(), after.view(), control);
}

// One pixel's channels in the picture's own units.
struct PixelValues {
    double value[4] = {};
    int channels = 0;
};
PixelValues pixelAt(const ConstPixelView &picture, int x, int y);

// "143" or "0.5612": as many digits as the depth has.
std::string formatSample(double value, Depth depth);

// "8-bit RGB", "32-bit float grey + alpha".
std::string describeFormat(PixelFormat format);

} // namespace tessera
