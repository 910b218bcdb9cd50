#include "app/image/display_name.h"

#include <cstdint>

namespace tessera {

namespace {

// Length of the well-formed UTF-8 sequence at the start of `bytes` (Unicode 15, table 3-7), 0 where there is none or
// where it is a control character.
std::size_t printableLength(std::string_view bytes) {
    const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
    const unsigned first = at(0);
    if (first < 0x80)
        return first >= 0x20 && first != 0x7f ? 1 : 0;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (std::size_t i = 1; i < length; ++i)
        if ((at(i) & 0xc0) != 0x80)
            return 0;
    const unsigned second = at(1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
    const bool c1Control = first == 0xc2 && second < 0xa0;
    return overlong || outside || c1Control ? 0 : length;
}

} // namespace

std::string displayText(std::string_view bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    while (!bytes.empty()) {
        std::size_t length = printableLength(bytes);
        if (length > 0) {
            text += bytes.substr(0, length);
        } else {
            const auto byte = static_cast<unsigned char>(bytes.front());
            text += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
            length = 1;
        }
        bytes.remove_prefix(length);
    }
    return text;
}

} // namespace tessera
