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
    const auto appendLine = [&](const auto &cellAt) {
        std::string line;
        for (std::size_t i = 0; i <= last; ++i)
            line += padded(cellAt(i), i == last ? 0 : widths[i], columns_[i].align) + (i == last ? "" : "  ");
        result += withoutTrailingSpaces(std::move(line)) + "\n";
    };
    const bool rightLast = columns_[last].align == Align::Right;
    appendLine([&](std::size_t i) {
        return i == last && rightLast ? padded(columns_[i].title, widths[i], Align::Right) : columns_[i].title;
    });
    for (const auto &row : rows_) {
        const std::string tail = row.size() > last ? row[last] : "";
        const std::vector<std::string> lines =
            rightLast ? std::vector{padded(tail, widths[last], Align::Right)} : wrapText(tail, lastWidth);
        appendLine([&](std::size_t i) { return i == last ? lines[0] : i < row.size() ? row[i] : std::string(); });
        for (std::size_t next = 1; next < lines.size(); ++next)
            appendLine([&](std::size_t i) { return i == last ? lines[next] : std::string(); });
    }
    return result;
}

} // namespace tessera
