#include "app/commands/batch/name_template.h"

#include "app/commands/option_values.h"
#include "app/commands/suggest.h"
#include "app/commands/text.h"
#include "app/core/error.h"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

const std::vector<std::string> placeholders{"stem", "filter", "ext", "parent", "folder", "index"};

} // namespace

NameTemplate::Piece NameTemplate::placeholder(const std::string &name) {
    const std::size_t colon = name.find(':');
    const std::string word = name.substr(0, colon);
    const auto found = std::find(placeholders.begin(), placeholders.end(), word);
    if (found == placeholders.end())
        throw Error(ErrorKind::Usage, "--name has no placeholder '{" + displayText(word) + "}'",
                    suggestion(word, placeholders) + "; a brace itself is written twice");
    Piece piece;
    piece.field = static_cast<Field>(found - placeholders.begin() + 1);
    if (colon != std::string::npos) {
        if (piece.field != Field::Index)
            throw Error(ErrorKind::Usage, "--name's {" + word + "} takes no number of digits", "only {index:4} does");
        piece.digits = static_cast<std::size_t>(parseInteger("--name's {index:DIGITS}", name.substr(colon + 1), 1, 18));
    }
    return piece;
}

NameTemplate::NameTemplate(const std::string &text) : text_(text) {
    std::string literal;
    const auto flush = [&] {
        if (!literal.empty())
            pieces_.push_back({Field::Literal, std::exchange(literal, {}), 0});
    };
    for (std::size_t position = 0; position < text.size();) {
        const char character = text[position];
        const bool doubled = position + 1 < text.size() && text[position + 1] == character;
        if ((character == '{' || character == '}') && doubled) {
            literal += character;
            position += 2;
        } else if (character == '{') {
            const std::size_t end = text.find('}', position);
            if (end == std::string::npos)
                throw Error(ErrorKind::Usage, "--name " + inQuotes(text) + " has a '{' without its '}'",
                            "a brace itself is written twice");
            flush();
            pieces_.push_back(placeholder(text.substr(position + 1, end - position - 1)));
            position = end + 1;
        } else if (character == '}') {
            throw Error(ErrorKind::Usage, "--name " + inQuotes(text) + " has a '}' without its '{'",
                        "a brace itself is written twice");
        } else {
            literal += character;
            ++position;
        }
    }
    flush();
}

std::string NameTemplate::valueOf(const Piece &piece, const NameParts &parts) {
    switch (piece.field) {
    case Field::Literal:
        return piece.text;
    case Field::Stem:
        return parts.stem;
    case Field::Filter:
        return parts.filter;
    case Field::Extension:
        return parts.extension;
    case Field::Parent:
        return parts.parent;
    case Field::Folder:
        return parts.folder;
    case Field::Index:
        break;
    }
    const std::string digits = std::to_string(parts.index);
    return std::string(piece.digits - std::min(piece.digits, digits.size()), '0') + digits;
}

std::filesystem::path NameTemplate::apply(const NameParts &parts) const {
    std::string name;
    for (const Piece &piece : pieces_)
        name += valueOf(piece, parts);
    // A {folder} that is empty leaves "/x.png": still a name below the output folder.
    const bool startsWithFolder = !pieces_.empty() && pieces_.front().field == Field::Folder;
    if (startsWithFolder)
        name.erase(0, name.find_first_not_of('/'));
    const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
    const bool leaves = path.is_absolute() || (!path.empty() && *path.begin() == "..");
    if (path.empty() || !path.has_filename() || path == "." || leaves)
        throw Error(ErrorKind::Usage, "--name " + inQuotes(text_) + " makes " + inQuotes(name) + " of an input",
                    leaves ? "outputs stay below the output folder" : "it must end in a file's name");
    return path;
}

} // namespace tessera
