#include "app/commands/table.h"

#include "app/commands/text.h"

#include <algorithm>

namespace tessera {

namespace {

std::string padded(const std::string &cell, std::size_t width, TextTable::Align align) {
    const std::string space(width - std::min(width, displayWidth(cell)), ' ');
    return align == TextTable::Align::Left ? cell + space : space + cell;
}

std::string withoutTrailingSpaces(std::string line) {
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

} // namespace

std::string TextTable::text(std::size_t width) const {
    const std::size_t last = columns_.size() - 1;
    std::vector<std::size_t> widths;
    for (const Column &column : columns_)
        widths.push_back(displayWidth(column.title));
    for (const auto &row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], displayWidth(row[i]));
    std::size_t before = 0;
    for (std::size_t i = 0; i < last; ++i)
        before += widths[i] + 2;
    const std::size_t lastWidth = std::max<std::size_t>(30, width > before ? width - before : 0);

    std::string result;
    const auto appendLine = [&](const std::vector<std::string> &cells) {
        std::string line;
        for (std::size_t i = 0; i <= last; ++i)
            line += padded(i < cells.size() ? cells[i] : "", widths[i], columns_[i].align) + (i == last ? "" : "  ");
        result += withoutTrailingSpaces(std::move(line)) + "\n";
    };
    std::vector<std::string> titles;
    for (const Column &column : columns_)
        titles.push_back(column.title);
    appendLine(titles);
    for (std::vector<std::string> cells : rows_) {
        cells.resize(columns_.size());
        for (const std::string &line : wrapText(cells[last], lastWidth)) {
            cells[last] = line;
            appendLine(cells);
            std::fill(cells.begin(), cells.end(), std::string()); // the lines that follow belong to the last cell alone
        }
    }
    return result;
}

} // namespace tessera
