#include "app/stats/channel_rows.h"

namespace tessera {

std::vector<std::string> statisticsChannels(PixelFormat format) {
    std::vector<std::string> names =
        format.colourChannels() == 3 ? std::vector<std::string>{"R", "G", "B"} : std::vector<std::string>{"Grey"};
    if (format.hasAlpha())
        names.emplace_back("A");
    if (hasLuminance(format))
        names.emplace_back("Luminance");
    return names;
}

void readFloatChannel(const ConstPixelView &picture, int y, int channel, std::span<float> values) {
    const auto *row = picture.row<float>(y);
    const auto channels = std::size_t(picture.format.channels);
    if (channel < picture.format.channels) {
        for (std::size_t x = 0; x < values.size(); ++x)
            values[x] = row[x * channels + std::size_t(channel)];
        return;
    }
    for (std::size_t x = 0; x < values.size(); ++x) {
        const float *pixel = row + x * channels;
        values[x] = static_cast<float>(lumaOf(double(pixel[0]), double(pixel[1]), double(pixel[2])));
    }
}

namespace {

template <class T> void readLumaOf(const ConstPixelView &picture, int y, double scale, std::span<double> values) {
    const auto *row = picture.row<T>(y);
    const auto channels = std::size_t(picture.format.channels);
    const bool colour = hasLuminance(picture.format);
    for (std::size_t x = 0; x < values.size(); ++x) {
        const T *pixel = row + x * channels;
        values[x] = scale * (colour ? lumaOf(double(pixel[0]), double(pixel[1]), double(pixel[2])) : double(pixel[0]));
    }
}

} // namespace

void readLuma(const ConstPixelView &picture, int y, double scale, std::span<double> values) {
    switch (picture.format.depth) {
    case Depth::U8:
        return readLumaOf<std::uint8_t>(picture, y, scale, values);
    case Depth::U16:
        return readLumaOf<std::uint16_t>(picture, y, scale, values);
    case Depth::F32:
        return readLumaOf<float>(picture, y, scale, values);
    }
}

} // namespace tessera
