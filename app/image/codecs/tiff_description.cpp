#include "app/image/codecs/tiff_description.h"

#include <algorithm>
#include <array>

namespace tessera::codecs {

namespace {

constexpr std::string_view blanks(" \t\r\n\0", 5);

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = std::min(text.find_first_not_of(blanks), text.size());
    return text.substr(begin);
}

// {"shape": [2, 100, 100], "axes": "ZYX"}: the key as such, in any order, and not as the value of another.
bool holdsShape(std::string_view text) {
    constexpr std::string_view key = "\"shape\"";
    if (!text.starts_with('{'))
        return false;
    for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
        const std::string_view behind = trimmed(text.substr(at + key.size()));
        if (behind.starts_with(':') && trimmed(behind.substr(1)).starts_with('['))
            return true;
    }
    return false;
}

// The name of an XML document's root, without a namespace's prefix; empty where the text is none.
std::string_view rootOf(std::string_view text) {
    constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(byteOrderMark))
        text = trimmed(text.substr(byteOrderMark.size()));
    while (text.starts_with("<?") || text.starts_with("<!")) { // declaration, comments
        const std::string_view end = text.starts_with("<!--") ? "-->" : text.starts_with("<?") ? "?>" : ">";
        const std::size_t at = text.find(end);
        if (at == text.npos)
            return {};
        text = trimmed(text.substr(at + end.size()));
    }
    if (!text.starts_with('<'))
        return {};
    text.remove_prefix(1);
    text = text.substr(0, text.find_first_of(" \t\r\n/>"));
    const std::size_t colon = text.find(':');
    return colon == text.npos ? text : text.substr(colon + 1);
}

} // namespace

bool describesStructure(std::string_view description) {
    constexpr std::array<std::string_view, 8> beginnings{"ImageJ=",       "SCIFIO=",    "shape=(",       "Aperio ",
                                                         "scanimage.SI.", "SI.VERSION", "state.config.", "shape = ("};
    constexpr std::array<std::string_view, 4> roots{"OME", "scn", "DataObject", "MetaData"};
    const std::string_view text = trimmed(description);
    return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return text.starts_with(beginning); }) ||
           std::ranges::find(roots, rootOf(text)) != roots.end() || holdsShape(text);
}

} // namespace tessera::codecs
