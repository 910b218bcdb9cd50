#include "app/image/display_name.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace tessera {

namespace {

// What would break the line, or turn round the text about it: the separators of lines and paragraphs, and Unicode's
// Bidi_Control. `character`: the bytes of a sequence of two or three.
bool steersTheText(std::string_view character) {
    static constexpr std::string_view marks[] = {"\u061c", "\u200e", "\u200f"};
    if (std::find(std::begin(marks), std::end(marks), character) != std::end(marks))
        return true;
    const auto within = [&](std::string_view first, std::string_view last) {
        return character.size() == first.size() && character >= first && character <= last;
    };
    return within("\u2028", "\u202e") || within("\u2066", "\u2069"); // separators and embeddings; isolates
}

bool isControl(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1)
        return first < 0x20 || first == 0x7f;
    return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0; // C1
}

} // namespace

std::size_t utf8Length(std::string_view bytes) {
    const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
    const unsigned first = at(0);
    if (first < 0x80)
        return bytes.empty() ? 0 : 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (std::size_t i = 1; i < length; ++i)
        if ((at(i) & 0xc0) != 0x80)
            return 0;
    const unsigned second = at(1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
    return overlong || outside ? 0 : length;
}

bool isUtf8(std::string_view bytes) {
    while (const std::size_t length = utf8Length(bytes))
        bytes.remove_prefix(length);
    return bytes.empty();
}

std::string displayText(std::string_view bytes) {
    std::string text;
    while (!bytes.empty()) {
        const std::string_view character = bytes.substr(0, std::max<std::size_t>(utf8Length(bytes), 1));
        const bool shown = utf8Length(character) > 0 && !isControl(character) && !steersTheText(character);
        for (const char byte : character)
            text += shown ? std::string(1, byte) : "\\x" + hexadecimal({&byte, 1});
        bytes.remove_prefix(character.size());
    }
    return text;
}

std::string jsonText(std::string_view bytes) {
    std::string text;
    text.reserve(bytes.size());
    while (!bytes.empty()) {
        const std::size_t length = utf8Length(bytes);
        text += length > 0 ? std::string(bytes.substr(0, length)) : "\\x" + hexadecimal(bytes.substr(0, 1));
        bytes.remove_prefix(std::max<std::size_t>(length, 1));
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

} // namespace tessera
