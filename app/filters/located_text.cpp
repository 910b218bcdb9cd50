#include "app/filters/located_text.h"

#include "app/core/error.h"

#include <algorithm>

namespace tessera {

LocatedText::LocatedText(std::string_view text, std::string_view source) : text_(text), source_(source) {
    if (text_.starts_with("\xEF\xBB\xBF"))
        text_.remove_prefix(3);
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
        refuse(0, "the text is UTF-16", "save it as UTF-8 or plain ASCII");
    if (const std::size_t zero = text_.find('\0'); zero != std::string_view::npos)
        refuse(zero, "this is no text", "a kernel file holds numbers as text");
}

void LocatedText::refuse(std::size_t offset, const std::string &what, const std::string &remedy) const {
    std::size_t line = 1, column = 1;
    for (std::size_t i = 0; i < std::min(offset, text_.size()); ++i) {
        const char c = text_[i];
        const bool carriageBeforeFeed = c == '\r' && i + 1 < text_.size() && text_[i + 1] == '\n';
        if (c == '\n' || (c == '\r' && !carriageBeforeFeed)) {
            ++line;
            column = 1;
        } else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) { // continuation bytes are no characters
            ++column;
        }
    }
    throw Error(ErrorKind::Usage,
                std::string(source_) + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + what, remedy);
}

std::string LocatedText::shown(std::string_view token) {
    constexpr std::size_t longest = 24;
    std::string text(token.substr(0, longest));
    // Not in the middle of a UTF-8 character.
    if (token.size() > longest)
        while (!text.empty() && (static_cast<unsigned char>(token[text.size()]) & 0xC0) == 0x80)
            text.pop_back();
    std::ranges::replace_if(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
    return "'" + text + (token.size() > longest ? "...'" : "'");
}

} // namespace tessera
