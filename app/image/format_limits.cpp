#include "app/image/format_limits.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace tessera {

namespace {

struct SideLimit {
    const char *format;
    int longest; // pixels
};

constexpr SideLimit sideLimits[] = {{"jpg", 65500}, {"webp", 16383}, {"tga", 65535}};
constexpr std::uint64_t largestBmp = 0xffff'0000u; // bytes of pixels: the header counts in 32 bits
constexpr double largestRgbe = 255.5 * 0x1.0p119;  // from here on the mantissa rounds up to the exponent 128

std::string upperCase(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::string counted(std::uint64_t count, const char *kind) {
    return std::to_string(count) + ' ' + kind + (count == 1 ? " value" : " values");
}

} // namespace

bool usesQuality(const FormatInfo &format) { return format.name == "jpg" || format.name == "webp"; }

std::string cannotHoldSize(const FormatInfo &format, PixelFormat picture, int width, int height) {
    const std::string name = upperCase(format.name);
    for (const SideLimit &limit : sideLimits)
        if (format.name == limit.format && std::max(width, height) > limit.longest)
            return name + " holds pictures of up to " + std::to_string(limit.longest) +
                   " pixels a side, and this one has " + std::to_string(std::max(width, height));
    const std::uint64_t row = (std::uint64_t(width) * std::uint64_t(picture.channels) + 3) / 4 * 4;
    if (format.name == "bmp" && row * std::uint64_t(height) > largestBmp)
        return name + " holds up to 4 GiB, and this picture takes more";
    return {};
}

bool limitsValues(const FormatInfo &format) { return format.name == "hdr"; }

std::string valuesNotHeld(const FormatInfo &format, const FloatValues &values) {
    if (!limitsValues(format))
        return {};
    std::vector<std::string> parts;
    if (values.negative)
        parts.emplace_back("negative values");
    if (values.largest >= largestRgbe)
        parts.emplace_back("values above 1.7e38");
    if (values.notNumbers)
        parts.push_back(counted(values.notNumbers, "NaN"));
    if (values.infinite)
        parts.push_back(counted(values.infinite, "infinite"));
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

} // namespace tessera
