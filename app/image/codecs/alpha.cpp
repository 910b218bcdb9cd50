#include "app/image/codecs/alpha.h"

#include <algorithm>
#include <cmath>

namespace tessera::codecs {

namespace {

template <class T> void unpremultiplyRow(T *row, int width, int channels, double full) {
    for (int x = 0; x < width; ++x, row += channels) {
        const double alpha = double(row[channels - 1]);
        for (int c = 0; alpha > 0 && c < channels - 1; ++c) {
            const double value = double(row[c]) * full / alpha;
            if constexpr (std::is_integral_v<T>)
                row[c] = static_cast<T>(std::lround(std::min(value, full)));
            else
                row[c] = static_cast<T>(value);
        }
    }
}

} // namespace

void unpremultiply(const PixelView &view) {
    const int channels = view.format.channels;
    for (int y = 0; y < view.height; ++y) {
        switch (view.format.depth) {
        case Depth::U8:
            unpremultiplyRow(view.row<std::uint8_t>(y), view.width, channels, 255);
            break;
        case Depth::U16:
            unpremultiplyRow(view.row<std::uint16_t>(y), view.width, channels, 65535);
            break;
        case Depth::F32:
            unpremultiplyRow(view.row<float>(y), view.width, channels, 1);
            break;
        }
    }
}

void premultiply(const PixelView &view) {
    const int channels = view.format.channels;
    for (int y = 0; y < view.height; ++y) {
        float *pixel = view.row<float>(y);
        for (int x = 0; x < view.width; ++x, pixel += channels)
            for (int c = 0; c < channels - 1; ++c)
                pixel[c] *= pixel[channels - 1];
    }
}

} // namespace tessera::codecs
