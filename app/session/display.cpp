#include "app/session/display.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace tessera {

namespace {

constexpr std::uint32_t opaque = 0xff000000u;

std::uint32_t word(std::uint32_t r, std::uint32_t g, std::uint32_t b) { return opaque | r << 16 | g << 8 | b; }

std::uint32_t premultiplied(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t a) {
    const auto times = [a](std::uint32_t value) { return (value * a + 127) / 255; };
    return a << 24 | times(r) << 16 | times(g) << 8 | times(b);
}

// 4,096 steps are finer than an 8-bit screen can tell apart, and far cheaper than a power a sample.
const std::array<std::uint8_t, 4096> &linearToScreen() {
    static const auto table = [] {
        std::array<std::uint8_t, 4096> levels{};
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const double light = double(i) / double(levels.size() - 1);
            const double stored =
                light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055; // IEC 61966-2-1
            levels[i] = std::uint8_t(std::lround(stored * 255));
        }
        return levels;
    }();
    return table;
}

struct FromU8 {
    using Sample = std::uint8_t;
    std::uint32_t operator()(std::uint8_t value) const { return value; }
};
struct FromU16 {
    using Sample = std::uint16_t;
    std::uint32_t operator()(std::uint16_t value) const {
        return (value * 65281u + 8388608u) >> 24;
    } // value / 257, rounded
};
struct FromFloat {
    using Sample = float;
    std::uint32_t operator()(float value) const {
        return value > 0 ? value >= 1 ? 255u : std::uint32_t(value * 255 + 0.5f) : 0u;
    }
};
struct FromLinearFloat {
    using Sample = float;
    const std::array<std::uint8_t, 4096> &levels = linearToScreen();
    std::uint32_t operator()(float value) const {
        return value > 0 ? value >= 1 ? 255u : levels[std::size_t(value * 4095 + 0.5f)] : 0u;
    }
};

template <class Convert>
void renderRows(const ConstPixelView &part, std::uint32_t *target, std::ptrdiff_t pitch, const Convert &level) {
    // Alpha is never light: for linear floats it must not pass through the curve.
    constexpr bool isFloat = std::is_same_v<typename Convert::Sample, float>;
    const auto alpha = [&](typename Convert::Sample value) {
        if constexpr (isFloat)
            return FromFloat{}(value);
        else
            return level(value);
    };
    for (int y = 0; y < part.height; ++y, target += pitch) {
        const auto *p = part.row<typename Convert::Sample>(y);
        switch (part.format.channels) {
        case 1:
            for (int x = 0; x < part.width; ++x)
                target[x] = opaque | level(p[x]) * 0x010101u;
            break;
        case 2:
            for (int x = 0; x < part.width; ++x, p += 2) {
                const std::uint32_t grey = level(p[0]);
                target[x] = premultiplied(grey, grey, grey, alpha(p[1]));
            }
            break;
        case 3:
            for (int x = 0; x < part.width; ++x, p += 3)
                target[x] = word(level(p[0]), level(p[1]), level(p[2]));
            break;
        default:
            for (int x = 0; x < part.width; ++x, p += 4)
                target[x] = premultiplied(level(p[0]), level(p[1]), level(p[2]), alpha(p[3]));
        }
    }
}

double sampleAt(const ConstPixelView &picture, int x, int y, int channel) {
    const auto index = std::ptrdiff_t(x) * picture.format.channels + channel;
    switch (picture.format.depth) {
    case Depth::U8:
        return picture.row<std::uint8_t>(y)[index];
    case Depth::U16:
        return picture.row<std::uint16_t>(y)[index];
    default:
        return picture.row<float>(y)[index];
    }
}

} // namespace

bool holdsLinearLight(const std::string &format, Depth depth) {
    return depth == Depth::F32 && (format == "exr" || format == "hdr" || format == "pfm");
}

bool holdsLinearLight(const Image &image) {
    return holdsLinearLight(image.metadata.sourceFormat, image.format().depth);
}

void renderPicture(const Image &picture, const Rectangle &region, std::uint32_t *target, std::ptrdiff_t pitch) {
    const ConstPixelView part = picture.view().part(region);
    switch (picture.format().depth) {
    case Depth::U8:
        return renderRows(part, target, pitch, FromU8{});
    case Depth::U16:
        return renderRows(part, target, pitch, FromU16{});
    case Depth::F32:
        return holdsLinearLight(picture) ? renderRows(part, target, pitch, FromLinearFloat{})
                                         : renderRows(part, target, pitch, FromFloat{});
    }
}

PixelValues pixelAt(const ConstPixelView &picture, int x, int y) {
    PixelValues values;
    values.channels = picture.format.channels;
    for (int c = 0; c < values.channels; ++c)
        values.value[c] = sampleAt(picture, x, y, c);
    return values;
}

std::string formatSample(double value, Depth depth) {
    char text[32];
    std::snprintf(text, sizeof text, depth == Depth::F32 ? "%.5g" : "%.0f", value);
    return text;
}

std::string describeFormat(PixelFormat format) {
    const char *depth = format.depth == Depth::U8 ? "8-bit " : format.depth == Depth::U16 ? "16-bit " : "32-bit float ";
    static constexpr const char *colours[] = {"grey", "grey + alpha", "RGB", "RGBA"};
    return std::string(depth) + colours[format.channels - 1];
}

} // namespace tessera
