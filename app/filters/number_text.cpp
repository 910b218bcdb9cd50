#include "app/filters/number_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace tessera {

namespace {

// from_chars reports overflow and underflow alike; the exponent's sign tells them apart well enough, since a mantissa
// that alone leaves the range would need hundreds of digits.
double outOfRangeValue(std::string_view text) {
    const bool negative = text.front() == '-';
    const std::size_t exponent = text.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos ? text.substr(exponent + 1).starts_with('-')
                                                         : text.find_first_of("123456789") > text.find('.');
    const double magnitude = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return negative ? -magnitude : magnitude;
}

} // namespace

std::optional<double> parseNumber(std::string_view text) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-') || text.starts_with('+'))
            return std::nullopt;
    }
    if (text.empty())
        return std::nullopt;
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument)
        return std::nullopt;
    return error == std::errc::result_out_of_range ? outOfRangeValue(text) : value;
}

std::string formatNumber(double value) {
    if (value == 0.0)
        return "0";
    std::array<char, 64> buffer{};
    const bool plainInteger = value == std::rint(value) && std::abs(value) < 1e15;
    const auto written =
        plainInteger ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), static_cast<long long>(value))
                     : std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), written.ptr};
}

} // namespace tessera
