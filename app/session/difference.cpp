// The difference of two pictures, as display.h has it.
#include "app/session/display.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera {

namespace {

std::uint32_t word(std::uint32_t r, std::uint32_t g, std::uint32_t b) { return 0xff000000u | r << 16 | g << 8 | b; }

std::uint32_t screenLevel(double value) {
    return value > 0 ? value >= 1 ? 255u : std::uint32_t(value * 255 + 0.5) : 0u;
}

// Black, violet, red, yellow, white: lightness grows all the way, so that it reads in grey print as well.
std::uint32_t falseColour(double value) {
    static constexpr double stops[5][3] = {
        {0, 0, 0}, {0.33, 0.07, 0.55}, {0.86, 0.20, 0.22}, {0.98, 0.78, 0.20}, {1, 1, 1}};
    const double position = std::clamp(value, 0.0, 1.0) * 4;
    const int index = std::min(int(position), 3);
    const double share = position - index;
    std::uint32_t channel[3];
    for (int c = 0; c < 3; ++c)
        channel[c] = screenLevel(stops[index][c] * (1 - share) + stops[index + 1][c] * share);
    return word(channel[0], channel[1], channel[2]);
}

std::uint32_t changeLevel(double change, DifferenceMode mode, double gain) {
    if (mode == DifferenceMode::Signed)
        return screenLevel(0.5 + change * 0.5 * gain);
    return screenLevel(std::abs(change) * (mode == DifferenceMode::Absolute ? 1.0 : gain));
}

std::uint32_t differenceWord(const double (&change)[3], DifferenceMode mode, double gain) {
    const auto shown = [&](double delta) { return changeLevel(delta, mode, gain); };
    if (mode == DifferenceMode::FalseColour)
        return falseColour(std::max({std::abs(change[0]), std::abs(change[1]), std::abs(change[2])}) * gain);
    return word(shown(change[0]), shown(change[1]), shown(change[2]));
}

// What every difference of two bytes looks like: a window's worth of pixels in a fraction of a frame.
class ByteDifference {
public:
    ByteDifference(DifferenceMode mode, double gain) : falseColour_(mode == DifferenceMode::FalseColour) {
        for (int delta = -255; delta <= 255; ++delta) {
            const double change = delta / 255.0;
            words_[std::size_t(delta + 255)] =
                falseColour_ ? falseColour(std::abs(change) * gain) : changeLevel(change, mode, gain);
        }
    }
    std::uint32_t operator()(int r, int g, int b) const {
        if (falseColour_)
            return at(std::max({std::abs(r), std::abs(g), std::abs(b)}));
        return word(at(r), at(g), at(b));
    }

private:
    std::uint32_t at(int delta) const { return words_[std::size_t(delta + 255)]; }

    bool falseColour_;
    std::array<std::uint32_t, 511> words_{};
};

void renderBytes(const ConstPixelView &a, const ConstPixelView &b, const ByteDifference &look, std::uint32_t *target,
                 std::ptrdiff_t pitch) {
    const int channels = a.format.channels;
    const int green = a.format.colourChannels() > 1 ? 1 : 0, blue = a.format.colourChannels() > 1 ? 2 : 0;
    for (int y = 0; y < a.height; ++y, target += pitch) {
        const auto *p = a.row<std::uint8_t>(y), *q = b.row<std::uint8_t>(y);
        for (int x = 0; x < a.width; ++x, p += channels, q += channels)
            target[x] = look(q[0] - p[0], q[green] - p[green], q[blue] - p[blue]);
    }
}

// Calls use(samples, 1 / nominal maximum) with the row's own type.
template <class Use> void withRow(const ConstPixelView &picture, int y, Use use) {
    const double scale = 1 / nominalMaximum(picture.format.depth);
    switch (picture.format.depth) {
    case Depth::U8:
        return use(picture.row<std::uint8_t>(y), scale);
    case Depth::U16:
        return use(picture.row<std::uint16_t>(y), scale);
    case Depth::F32:
        return use(picture.row<float>(y), scale);
    }
}

} // namespace

void renderDifference(const Image &before, const Image &after, const Rectangle &region, DifferenceMode mode,
                      double gain, std::uint32_t *target, std::ptrdiff_t pitch) {
    renderDifference(before.view().part(region), after.view().part(region), mode, gain, target, pitch);
}

void renderDifference(const ConstPixelView &a, const ConstPixelView &b, DifferenceMode mode, double gain,
                      std::uint32_t *target, std::ptrdiff_t pitch) {
    if (a.format.depth == Depth::U8 && b.format.depth == Depth::U8)
        return renderBytes(a, b, ByteDifference(mode, gain), target, pitch);
    const int channels = a.format.channels, colours = a.format.colourChannels();
    for (int y = 0; y < a.height; ++y, target += pitch)
        withRow(a, y, [&](const auto *p, double scaleA) {
            withRow(b, y, [&](const auto *q, double scaleB) {
                for (int x = 0; x < a.width; ++x) {
                    double change[3]{};
                    for (int c = 0; c < 3; ++c) {
                        const auto at = std::ptrdiff_t(x) * channels + c;
                        change[c] = c < colours ? double(q[at]) * scaleB - double(p[at]) * scaleA : change[0];
                    }
                    target[x] = differenceWord(change, mode, gain);
                }
            });
        });
}

LargestDifference findLargestDifference(const ConstPixelView &a, const ConstPixelView &b, const RunControl &control) {
    const int channels = a.format.channels, colours = a.format.colourChannels();
    LargestDifference largest;
    for (int y = 0; y < a.height; ++y) {
        if (y % 64 == 0) {
            control.checkpoint();
            control.report(double(y) / a.height);
        }
        withRow(a, y, [&](const auto *p, double scaleA) {
            withRow(b, y, [&](const auto *q, double scaleB) {
                for (int x = 0; x < a.width; ++x)
                    for (int c = 0; c < colours; ++c) {
                        const auto at = std::ptrdiff_t(x) * channels + c;
                        const double share = std::abs(double(q[at]) * scaleB - double(p[at]) * scaleA);
                        if (share > largest.share)
                            largest = {x, y, share};
                    }
            });
        });
    }
    return largest;
}

} // namespace tessera
