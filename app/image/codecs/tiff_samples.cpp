#include "app/image/codecs/tiff_samples.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tessera::codecs {

namespace {

template <class T> T stored(const std::byte *row, std::ptrdiff_t index) {
    T value;
    std::memcpy(&value, row + index * std::ptrdiff_t(sizeof(T)), sizeof(T)); // rows of tiles may be unaligned
    return value;
}

template <class From, class To, class Convert>
void convert(const std::byte *row, std::ptrdiff_t first, std::ptrdiff_t count, void *target, std::ptrdiff_t step,
             const Convert &change) {
    auto *to = static_cast<To *>(target);
    for (std::ptrdiff_t i = 0; i < count; ++i)
        to[i * step] = static_cast<To>(change(stored<From>(row, first + i)));
}

// 1 to 15 bits, stretched to the full range of the next depth.
template <class To>
void unpackBits(int bits, const std::byte *row, std::ptrdiff_t first, std::ptrdiff_t count, void *target,
                std::ptrdiff_t step) {
    constexpr unsigned full = std::numeric_limits<To>::max();
    const unsigned largest = (1u << bits) - 1;
    auto *to = static_cast<To *>(target);
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        unsigned value = 0;
        for (std::ptrdiff_t bit = (first + i) * bits; bit < (first + i + 1) * bits; ++bit)
            value = value << 1 | (std::to_integer<unsigned>(row[bit / 8]) >> (7 - bit % 8) & 1u);
        to[i * step] = static_cast<To>((value * full + largest / 2) / largest);
    }
}

void unpackFloats(int bits, const std::byte *row, std::ptrdiff_t first, std::ptrdiff_t count, void *target,
                  std::ptrdiff_t step) {
    if (bits == 16)
        convert<std::uint16_t, float>(row, first, count, target, step, halfToFloat);
    else if (bits == 32)
        convert<float, float>(row, first, count, target, step, [](float value) { return value; });
    else
        convert<double, float>(row, first, count, target, step, [](double value) { return value; });
}

} // namespace

// IEEE 754 binary16.
float halfToFloat(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t(half & 0x8000u) << 16;
    const std::uint32_t exponent = half >> 10 & 31u, fraction = half & 1023u;
    if (exponent == 31)
        return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0) { // zero and subnormals
        const float value = std::ldexp(float(fraction), -24);
        return sign ? -value : value;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

void unpackTiffSamples(const TiffLayout &layout, const std::byte *row, std::ptrdiff_t first, std::ptrdiff_t count,
                       void *target, std::ptrdiff_t step) {
    const int bits = layout.bits;
    const auto same = [](auto value) { return value; };
    if (layout.colour == TiffLayout::Colour::Palette && bits < 8) // indices, not levels
        for (std::ptrdiff_t i = 0; i < count; ++i) {
            const std::ptrdiff_t bit = (first + i) * bits;
            unsigned value = 0;
            for (std::ptrdiff_t b = bit; b < bit + bits; ++b)
                value = value << 1 | (std::to_integer<unsigned>(row[b / 8]) >> (7 - b % 8) & 1u);
            static_cast<std::uint8_t *>(target)[i * step] = static_cast<std::uint8_t>(value);
        }
    else if (layout.sampleFormat == SAMPLEFORMAT_IEEEFP)
        unpackFloats(bits, row, first, count, target, step);
    else if (layout.sampleFormat == SAMPLEFORMAT_INT && bits == 8)
        convert<std::int8_t, float>(row, first, count, target, step, same);
    else if (layout.sampleFormat == SAMPLEFORMAT_INT)
        convert<std::int16_t, float>(row, first, count, target, step, same);
    else if (bits == 8)
        convert<std::uint8_t, std::uint8_t>(row, first, count, target, step, same);
    else if (bits == 16)
        convert<std::uint16_t, std::uint16_t>(row, first, count, target, step, same);
    else if (bits < 8)
        unpackBits<std::uint8_t>(bits, row, first, count, target, step);
    else
        unpackBits<std::uint16_t>(bits, row, first, count, target, step);
}

} // namespace tessera::codecs
