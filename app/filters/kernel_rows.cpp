// Rows of numbers: plain text, and libvips' matrix files, which are rows below a header.
#include "app/filters/kernel_notations.h"
#include "app/filters/number_text.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace tessera {

namespace {

constexpr std::size_t mostNumbers = ConvolutionKernel::maximumSide;

struct Row {
    std::vector<double> numbers;
    std::vector<std::size_t> offsets; // where each number begins
    bool commas = false;
};

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool isLineEnd(char c) { return c == '\n' || c == '\r'; }

// One line from `position` to its end or comment.
class RowReader {
public:
    RowReader(const LocatedText &text, std::size_t begin, std::size_t end) : text_(text), at_(begin), end_(end) {}

    Row read() {
        skipBlanks();
        while (at_ < end_) {
            readNumber();
            readSeparator();
        }
        return std::move(row_);
    }

private:
    char here() const { return text_.text()[at_]; }

    void skipBlanks() {
        while (at_ < end_ && isBlank(here()))
            ++at_;
    }

    void readNumber() {
        if (here() == ',')
            text_.refuse(at_, "a number is missing before the comma");
        if (row_.numbers.size() == mostNumbers)
            text_.refuse(at_, "a row has more than " + std::to_string(mostNumbers) + " numbers",
                         "kernels have at most " + std::to_string(mostNumbers) + " taps a side");
        const std::size_t begin = at_;
        while (at_ < end_ && !isBlank(here()) && here() != ',')
            ++at_;
        row_.numbers.push_back(requireNumber(text_, text_.text().substr(begin, at_ - begin), begin));
        row_.offsets.push_back(begin);
    }

    // Blanks, or one comma with blanks around it; a comma may end the line.
    void readSeparator() {
        const std::size_t separator = at_;
        skipBlanks();
        const bool comma = at_ < end_ && here() == ',';
        if (comma) {
            ++at_;
            skipBlanks();
        }
        if (at_ == end_) {
            row_.commas |= comma;
            return;
        }
        if (row_.numbers.size() > 1 && comma != row_.commas)
            text_.refuse(separator, "commas and blanks both separate numbers in this row",
                         "use one of them; decimals are written with a point");
        row_.commas = comma;
    }

    const LocatedText &text_;
    std::size_t at_;
    std::size_t end_;
    Row row_;
};

std::vector<Row> readRows(const LocatedText &located) {
    const std::string_view text = located.text();
    std::vector<Row> rows;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t lineEnd = std::min(text.find_first_of("\r\n", begin), text.size());
        const std::size_t end = std::min(text.find('#', begin), lineEnd);
        Row row = RowReader(located, begin, end).read();
        if (!row.numbers.empty()) {
            if (rows.size() > mostNumbers) // a libvips header makes one row more
                located.refuse(begin, "there are more than " + std::to_string(mostNumbers) + " rows",
                               "kernels have at most " + std::to_string(mostNumbers) + " taps a side");
            rows.push_back(std::move(row));
        }
        begin = lineEnd;
        while (begin < text.size() && isLineEnd(text[begin]))
            ++begin;
    }
    if (rows.empty())
        located.refuse(text.size(), "there are no numbers here", "a kernel needs at least one tap");
    return rows;
}

bool isPositiveInteger(double value) { return value >= 1 && value == std::rint(value); }

bool couldBeHeader(const Row &row) {
    return (row.numbers.size() == 2 || row.numbers.size() == 4) && !row.commas && isPositiveInteger(row.numbers[0]) &&
           isPositiveInteger(row.numbers[1]);
}

bool hasVipsHeader(const std::vector<Row> &rows) {
    const Row &header = rows.front();
    if (!couldBeHeader(header) || header.numbers[1] != double(rows.size() - 1))
        return false;
    return std::all_of(rows.begin() + 1, rows.end(),
                       [&](const Row &row) { return double(row.numbers.size()) == header.numbers[0]; });
}

[[noreturn]] void refuseRagged(const LocatedText &text, const std::vector<Row> &rows, const Row &bad) {
    const std::size_t expected = rows.front().numbers.size(), found = bad.numbers.size();
    std::string remedy = "every row needs the same count; write 0 where a tap is empty";
    if (couldBeHeader(rows.front()))
        remedy += "; as a libvips header the first line announces " + formatNumber(rows.front().numbers[1]) +
                  " rows of " + formatNumber(rows.front().numbers[0]) + " numbers";
    text.refuse(found > expected ? bad.offsets[expected] : bad.offsets.back(),
                "this row has " + std::to_string(found) + (found == 1 ? " number" : " numbers") +
                    ", the first row has " + std::to_string(expected),
                remedy);
}

ConvolutionKernel kernelFromRows(const LocatedText &text, const std::vector<Row> &rows, std::size_t first) {
    const std::size_t width = rows[first].numbers.size();
    if (rows.size() - first > mostNumbers)
        text.refuse(rows.back().offsets.front(), "there are more than " + std::to_string(mostNumbers) + " rows",
                    "kernels have at most " + std::to_string(mostNumbers) + " taps a side");
    std::vector<double> taps;
    for (std::size_t i = first; i < rows.size(); ++i) {
        if (rows[i].numbers.size() != width)
            refuseRagged(text, rows, rows[i]);
        taps.insert(taps.end(), rows[i].numbers.begin(), rows[i].numbers.end());
    }
    ConvolutionKernel kernel = ConvolutionKernel::centred(int(width), int(rows.size() - first), std::move(taps));
    kernel.divisor = 1.0;
    return kernel;
}

} // namespace

double requireNumber(const LocatedText &text, std::string_view token, std::size_t offset) {
    const std::optional<double> value = parseNumber(token);
    if (!value)
        text.refuse(offset, "expected a number, found " + LocatedText::shown(token));
    if (!std::isfinite(*value)) {
        const bool word = token.find_first_of("0123456789") == std::string_view::npos;
        text.refuse(offset, LocatedText::shown(token) + (word ? " is no finite number" : " is too large a number"));
    }
    return *value;
}

bool looksLikeVips(const LocatedText &text) { return hasVipsHeader(readRows(text)); }

ConvolutionKernel parseRows(const LocatedText &text) {
    const std::vector<Row> rows = readRows(text);
    if (!hasVipsHeader(rows))
        return kernelFromRows(text, rows, 0);
    ConvolutionKernel kernel = kernelFromRows(text, rows, 1);
    if (const Row &header = rows.front(); header.numbers.size() == 4) {
        if (header.numbers[2] == 0.0)
            text.refuse(header.offsets[2], "the scale must not be 0", "sums are divided by it; write 1 for none");
        kernel.divisor = header.numbers[2];
        kernel.offset = header.numbers[3];
    }
    return kernel;
}

} // namespace tessera
