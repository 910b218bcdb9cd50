#include "app/bench/report_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tessera::bench {

std::string MarkdownTable::text() const {
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < titles_.size(); ++column) {
        std::size_t width = std::max<std::size_t>(3, titles_[column].size());
        for (const auto &row : rows_)
            width = std::max(width, row[column].size());
        widths.push_back(width);
    }
    const auto isWords = [&](std::size_t column) { return column < left_ || column + 1 == titles_.size(); };
    const auto line = [&](const std::vector<std::string> &cells) {
        std::string text = "|";
        for (std::size_t column = 0; column < cells.size(); ++column) {
            const std::string pad(widths[column] - cells[column].size(), ' ');
            text += " " + (isWords(column) ? cells[column] + pad : pad + cells[column]) + " |";
        }
        return text + "\n";
    };
    std::string text = line(titles_) + "|";
    for (std::size_t column = 0; column < titles_.size(); ++column)
        text += isWords(column) ? " " + std::string(widths[column], '-') + " |"
                                : " " + std::string(widths[column] - 1, '-') + ": |";
    text += "\n";
    for (const auto &row : rows_)
        text += line(row);
    return text;
}

std::string fixed(double value, int decimals) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", decimals, value);
    return text;
}

std::string milliseconds(double ms) {
    if (!(ms > 0))
        return "0";
    return fixed(ms, std::clamp(3 - int(std::floor(std::log10(ms))), 0, 6));
}

std::string shortError(double error) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g", error);
    return text;
}

std::string bytesPerSecondText(double rate) { return fixed(rate * 1e-9, rate < 100e9 ? 1 : 0) + " GB/s"; }

std::string operationsPerSecondText(double rate) {
    return rate < 1e12 ? fixed(rate * 1e-9, 1) + " GFLOP/s" : fixed(rate * 1e-12, 1) + " TFLOP/s";
}

std::string contestTitle(const ContestKey &key) {
    std::string text = std::to_string(key.width) + "x" + std::to_string(key.height) + " " + key.pixel;
    if (key.work == "convolution")
        text += ", " + std::to_string(key.kernelWidth) + "x" + std::to_string(key.kernelHeight) + " " + key.kernel +
                ", border " + key.border;
    else
        text += ", " + key.work + " of " + key.distribution + " values";
    const std::string scope = key.scope == Scope::EndToEnd ? "end to end" : std::string(scopeName(key.scope));
    return text + "; " + scope + ", " + std::string(cacheStateName(key.cache));
}

std::string contenderName(const Row &row) {
    return row.device.starts_with("cuda") || row.variant == row.device ? row.variant
                                                                       : row.variant + " on " + row.device;
}

} // namespace tessera::bench
