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

constexpr SideLimit sideLimits[] = {{"jpg", longestJpegSide}, {"webp", longestWebpSide}, {"tga", longestTgaSide}};

std::string counted(std::uint64_t count, const char *kind) {
    return std::to_string(count) + ' ' + kind + (count == 1 ? " value" : " values");
}

} // namespace

std::string upperCaseName(const FormatInfo &format) {
    std::string text = format.name;
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

bool usesQuality(const FormatInfo &format) { return format.name == "jpg" || format.name == "webp"; }

std::string cannotHoldSize(const FormatInfo &format, PixelFormat picture, int width, int height) {
    const std::string name = upperCaseName(format);
    for (const SideLimit &limit : sideLimits)
        if (format.name == limit.format && std::max(width, height) > limit.longest)
            return name + " holds pictures of up to " + std::to_string(limit.longest) +
                   " pixels a side, and this one has " + std::to_string(std::max(width, height));
    if (format.name == "bmp" && bmpRowBytes(width, picture.channels) * std::uint64_t(height) > largestBmp)
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
        parts.emplace_back(valuesBeyondRgbe);
    if (values.notNumbers)
        parts.push_back(counted(values.notNumbers, "NaN"));
    if (values.infinite)
        parts.push_back(counted(values.infinite, "infinite"));
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}

bool holds(const FormatInfo &format, PixelFormat picture, int width, int height, const FloatValues &values) {
    return cannotHold(format, picture).empty() && cannotHoldSize(format, picture, width, height).empty() &&
           valuesNotHeld(format, values).empty();
}

} // namespace tessera
