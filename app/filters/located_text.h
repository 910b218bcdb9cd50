// A text that can say where in it something is wrong: "kernel.txt:3:7: expected a number, found 'x'".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

class LocatedText {
public:
    // Drops a UTF-8 byte order mark. Throws Error{Usage} where the bytes are no text (zeros, UTF-16).
    // Both views must outlive this object.
    LocatedText(std::string_view text, std::string_view source);

    std::string_view text() const { return text_; }

    // Throws Error{Usage} "source:line:column: what". Lines and columns count from 1, columns in characters.
    [[noreturn]] void refuse(std::size_t offset, const std::string &what, const std::string &remedy = {}) const;

    // A token as it stands in a message: quoted, cut where it is long, unprintable bytes replaced.
    static std::string shown(std::string_view token);

private:
    std::string_view text_;
    std::string_view source_;
};

} // namespace tessera
