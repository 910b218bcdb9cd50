// The name of an output from a template: '{stem}-{filter}.{ext}'.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

// What a template's placeholders stand for. Names are bytes, as file names are.
struct NameParts {
    std::string stem;      // the input's name without its extension
    std::string filter;    // the chain's names, "gaussian-sobel"
    std::string extension; // the output's, without the point
    std::string parent;    // the name of the folder that holds the input
    std::string folder;    // the input's folder below the INPUT folder it was found in, "2024/june"; may be empty
    std::size_t index = 0; // the input's number in the list, from 1
};

class NameTemplate {
public:
    // Placeholders: {stem} {filter} {ext} {parent} {folder} {index}, and {index:4} with leading zeros to four digits.
    // '{{' and '}}' are braces; '/' makes folders. Throws Error{Usage}, naming the nearest placeholder.
    explicit NameTemplate(const std::string &text);

    // A path below the output folder. Throws Error{Usage} where it would be empty, be a folder's name, or leave the
    // output folder.
    std::filesystem::path apply(const NameParts &parts) const;

private:
    enum class Field { Literal, Stem, Filter, Extension, Parent, Folder, Index };
    struct Piece {
        Field field = Field::Literal;
        std::string text;       // of a literal
        std::size_t digits = 0; // of an index
    };

    static Piece placeholder(const std::string &name);
    static std::string valueOf(const Piece &piece, const NameParts &parts);

    std::string text_;
    std::vector<Piece> pieces_;
};

} // namespace tessera
