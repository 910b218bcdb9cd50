// A table of text for a terminal: columns as wide as their widest cell, two spaces apart.
#pragma once

#include <string>
#include <vector>

namespace tessera {

class TextTable {
public:
    enum class Align { Left, Right };
    struct Column {
        std::string title;
        Align align = Align::Left;
    };

    explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

    // Shorter rows are filled up with empty cells.
    void addRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

    // The last column is wrapped where the table would be wider than `width` cells.
    std::string text(std::size_t width = 110) const;

private:
    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace tessera
