// Pieces of text that the reports share.
#pragma once

#include "app/bench/report.h"

#include <string>
#include <vector>

namespace tessera::bench {

// Columns padded to one width, so that it reads well as plain text too. The first `left` columns and the last are
// words, the others numbers.
class MarkdownTable {
public:
    MarkdownTable(std::vector<std::string> titles, std::size_t left) : titles_(std::move(titles)), left_(left) {}
    void addRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    std::size_t rows() const { return rows_.size(); }
    std::string text() const;

private:
    std::vector<std::string> titles_;
    std::vector<std::vector<std::string>> rows_;
    std::size_t left_;
};

std::string fixed(double value, int decimals);
std::string milliseconds(double ms);              // four significant digits
std::string shortError(double error);             // two significant digits
std::string bytesPerSecondText(double rate);      // "4129 GB/s"
std::string operationsPerSecondText(double rate); // "62.9 TFLOP/s"

// "8192x8192 f32, 5x5 random, zero border; kernel, cold"
std::string contestTitle(const ContestKey &key);
std::string contenderName(const Row &row); // with its device where that is no GPU

} // namespace tessera::bench
