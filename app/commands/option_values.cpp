#include "app/commands/option_values.h"

#include "app/commands/suggest.h"
#include "app/commands/text.h"
#include "app/core/error.h"
#include "app/filters/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace tessera {

namespace {

[[noreturn]] void refuse(std::string_view option, const std::string &text, const std::string &allowed) {
    throw Error(ErrorKind::Usage, std::string(option) + " does not take " + inQuotes(text), allowed);
}

template <class Integer> std::optional<Integer> wholeNumber(std::string_view text) {
    if (text.starts_with('+'))
        text.remove_prefix(1);
    Integer value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

// The number in front and the letters behind it.
std::pair<double, std::string> numberAndUnit(std::string_view option, const std::string &text,
                                             const std::string &allowed) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || !std::isfinite(value) || value <= 0)
        refuse(option, text, allowed);
    std::string unit(end, text.data() + text.size());
    std::transform(unit.begin(), unit.end(), unit.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
    return {value, unit};
}

std::uint64_t scaled(std::string_view option, const std::string &text, double value, double base, int power,
                     const std::string &allowed) {
    const double product = std::floor(value * std::pow(base, power));
    if (product < 1.0 || product >= 9.0e18)
        refuse(option, text, allowed);
    return static_cast<std::uint64_t>(product);
}

} // namespace

std::int64_t parseInteger(std::string_view option, const std::string &text, std::int64_t minimum,
                          std::int64_t maximum) {
    const auto value = wholeNumber<std::int64_t>(text);
    if (!value || *value < minimum || *value > maximum) {
        const bool bounded = maximum < std::numeric_limits<std::int32_t>::max();
        refuse(option, text,
               bounded ? "a whole number from " + std::to_string(minimum) + " to " + std::to_string(maximum)
                       : "a whole number, at least " + std::to_string(minimum));
    }
    return *value;
}

double parseReal(std::string_view option, const std::string &text) {
    const auto value = parseNumber(text);
    if (!value || !std::isfinite(*value))
        refuse(option, text, "a number such as 0.5 or -12");
    return *value;
}

double parseFloat32(std::string_view option, const std::string &text) {
    const double value = parseReal(option, text);
    if (std::fabs(value) > double(std::numeric_limits<float>::max()))
        refuse(option, text, "a number of at most 3.4e38, the largest of 32-bit floats");
    return value;
}

std::uint64_t parseByteSize(std::string_view option, const std::string &text) {
    const std::string allowed = "a size such as 512M, 1.5G or 2GiB";
    const auto [value, unit] = numberAndUnit(option, text, allowed);
    constexpr std::string_view prefixes = "KMGT";
    if (unit.empty() || unit == "B")
        return scaled(option, text, value, 1024, 0, allowed);
    const std::size_t prefix = prefixes.find(unit[0]);
    const std::string rest = unit.substr(1);
    if (prefix == std::string_view::npos || (rest != "" && rest != "B" && rest != "IB"))
        refuse(option, text, allowed);
    return scaled(option, text, value, rest == "B" ? 1000 : 1024, static_cast<int>(prefix) + 1, allowed);
}

std::uint64_t parseCount(std::string_view option, const std::string &text) {
    const std::string allowed = "a number such as 50000000 or 50M";
    const auto [value, unit] = numberAndUnit(option, text, allowed);
    constexpr std::string_view prefixes = "KMGT";
    if (unit.empty())
        return scaled(option, text, value, 1000, 0, allowed);
    const std::size_t prefix = prefixes.find(unit[0]);
    if (prefix == std::string_view::npos || unit.size() > 1)
        refuse(option, text, allowed);
    return scaled(option, text, value, 1000, static_cast<int>(prefix) + 1, allowed);
}

std::size_t parseChoice(std::string_view option, const std::string &text, const std::vector<std::string> &choices) {
    const auto found = std::find(choices.begin(), choices.end(), text);
    if (found == choices.end())
        refuse(option, text, suggestion(text, choices));
    return static_cast<std::size_t>(found - choices.begin());
}

std::pair<int, int> parseExtent(std::string_view option, const std::string &text) {
    const std::size_t cross = text.find('x');
    if (cross != std::string::npos) {
        const auto width = wholeNumber<int>(std::string_view(text).substr(0, cross));
        const auto height = wholeNumber<int>(std::string_view(text).substr(cross + 1));
        if (width && height && *width >= 1 && *height >= 1)
            return {*width, *height};
    }
    refuse(option, text, "a width and a height such as 1920x1080");
}

std::pair<int, int> parsePoint(std::string_view option, const std::string &text) {
    const std::size_t comma = text.find(',');
    if (comma != std::string::npos) {
        const auto x = wholeNumber<int>(std::string_view(text).substr(0, comma));
        const auto y = wholeNumber<int>(std::string_view(text).substr(comma + 1));
        if (x && y)
            return {*x, *y};
    }
    refuse(option, text, "two whole numbers such as 1,1");
}

} // namespace tessera
