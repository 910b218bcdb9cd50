#include "app/commands/text.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tessera {

std::string inQuotes(std::string_view bytes) { return "'" + displayText(bytes) + "'"; }

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
