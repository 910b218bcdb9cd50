#include "app/commands/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace tessera {

namespace {

// The length of the well-formed UTF-8 sequence at `position`, or 0 (Unicode 15, table 3-7).
std::size_t sequenceLength(std::string_view bytes, std::size_t position) {
    const auto byte = [&](std::size_t offset) -> unsigned {
        return position + offset < bytes.size() ? static_cast<unsigned char>(bytes[position + offset]) : 0u;
    };
    const auto within = [](unsigned value, unsigned low, unsigned high) { return value >= low && value <= high; };
    const unsigned lead = byte(0);
    if (lead < 0x80)
        return 1;
    if (within(lead, 0xC2, 0xDF))
        return within(byte(1), 0x80, 0xBF) ? 2 : 0;
    if (within(lead, 0xE0, 0xEF)) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : 0xBF;
        return within(byte(1), low, high) && within(byte(2), 0x80, 0xBF) ? 3 : 0;
    }
    if (within(lead, 0xF0, 0xF4)) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
        const bool good = within(byte(1), low, high) && within(byte(2), 0x80, 0xBF) && within(byte(3), 0x80, 0xBF);
        return good ? 4 : 0;
    }
    return 0;
}

} // namespace

bool isUtf8(std::string_view bytes) {
    for (std::size_t position = 0; position < bytes.size();) {
        const std::size_t length = sequenceLength(bytes, position);
        if (length == 0)
            return false;
        position += length;
    }
    return true;
}

std::string inQuotes(std::string_view bytes) { return "'" + displayText(bytes) + "'"; }

std::string jsonText(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    for (std::size_t position = 0; position < bytes.size();) {
        const std::size_t length = sequenceLength(bytes, position);
        text +=
            length > 0 ? std::string(bytes.substr(position, length)) : "\\x" + hexadecimal(bytes.substr(position, 1));
        position += std::max<std::size_t>(length, 1);
    }
    return text;
}

std::string hexadecimal(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string hex;
    hex.reserve(bytes.size() * 2);
    for (const char character : bytes) {
        const auto byte = static_cast<unsigned char>(character);
        hex += digits[byte >> 4];
        hex += digits[byte & 15];
    }
    return hex;
}

std::string bytesFromHexadecimal(std::string_view hex) {
    if (hex.size() % 2 != 0)
        return {};
    std::string bytes;
    for (std::size_t position = 0; position < hex.size(); position += 2) {
        unsigned value = 0;
        const char *end = hex.data() + position + 2;
        if (std::from_chars(hex.data() + position, end, value, 16).ptr != end)
            return {};
        bytes += static_cast<char>(value);
    }
    return bytes;
}

std::size_t displayWidth(std::string_view utf8) {
    std::size_t width = 0;
    for (const char character : utf8)
        if ((static_cast<unsigned char>(character) & 0xC0) != 0x80) // not a continuation byte
            ++width;
    return width;
}

std::string counted(std::uint64_t count, std::string_view noun) {
    return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string binarySize(std::uint64_t bytes) {
    constexpr std::array<const char *, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < units.size()) {
        value /= 1024.0;
        ++unit;
    }
    return shortNumber(value, 3) + " " + units[unit];
}

std::string shortNumber(double value, int digits) {
    std::array<char, 64> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.*g", digits, value);
    // %g turns 1024 with three digits into 1.02e+03: whole numbers of moderate size read better written out.
    if (std::string_view(buffer.data()).find("e+0") != std::string_view::npos)
        std::snprintf(buffer.data(), buffer.size(), "%.0f", value);
    return buffer.data();
}

std::vector<std::string> wrapText(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    std::string word;
    const auto flush = [&] {
        if (word.empty())
            return;
        const bool first = lines.back().empty();
        if (!first && displayWidth(lines.back()) + 1 + displayWidth(word) > width)
            lines.emplace_back(word);
        else
            lines.back() += (first ? "" : " ") + word;
        word.clear();
    };
    for (const char character : text) {
        if (character != ' ' && character != '\n') {
            word += character;
            continue;
        }
        flush();
        if (character == '\n')
            lines.emplace_back();
    }
    flush();
    return lines;
}

} // namespace tessera
