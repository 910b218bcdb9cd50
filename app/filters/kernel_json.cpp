// Tessera's own preset: all that a kernel has, by name.
#include "app/filters/kernel_notations.h"
#include "app/filters/located_json.h"
#include "app/filters/nearest_name.h"
#include "app/filters/number_text.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera {

namespace {

using Kind = LocatedJson::Kind;

constexpr const char *example = R"(for example {"taps": [[0, 1, 0], [1, 2, 1], [0, 1, 0]]})";

class PresetReader {
public:
    PresetReader(const LocatedText &text, const LocatedJson &root) : text_(text), root_(root) {}

    ConvolutionKernel read() {
        if (root_.kind != Kind::Object)
            text_.refuse(root_.offset, "a kernel preset is a JSON object", example);
        checkMembers();
        checkFormat();
        const LocatedJson *taps = find("taps");
        if (!taps)
            text_.refuse(root_.offset, "the member 'taps' is missing", example);
        ConvolutionKernel kernel = readTaps(*taps);
        readAnchor(kernel);
        readDivisor(kernel);
        if (const LocatedJson *offset = find("offset"))
            kernel.offset = number(*offset, "'offset'");
        if (const LocatedJson *name = find("name"))
            kernel.name = string(*name, "'name'");
        return kernel;
    }

private:
    const LocatedJson *find(std::string_view name) const {
        const auto found = std::ranges::find(root_.names, name, &LocatedJson::string);
        return found == root_.names.end() ? nullptr : &root_.items[std::size_t(found - root_.names.begin())];
    }

    void checkMembers() const {
        static const std::vector<std::string> known{"format", "version", "name",   "width", "height",
                                                    "anchor", "divisor", "offset", "taps"};
        for (auto name = root_.names.begin(); name != root_.names.end(); ++name) {
            const LocatedJson &key = *name;
            if (std::ranges::find(known, key.string) == known.end()) {
                const std::string nearest = nearestName(key.string, known);
                text_.refuse(key.offset, "a kernel preset has no member " + LocatedText::shown(key.string),
                             nearest.empty() ? "it has " + joinNames(known) : "did you mean '" + nearest + "'?");
            }
            if (std::ranges::find(root_.names.begin(), name, key.string, &LocatedJson::string) != name)
                text_.refuse(key.offset, "the member " + LocatedText::shown(key.string) + " is there twice");
        }
    }

    void checkFormat() const {
        if (const LocatedJson *format = find("format"); format && string(*format, "'format'") != "tessera-kernel")
            text_.refuse(format->offset, "this is no kernel preset", "its 'format' is \"tessera-kernel\"");
        if (const LocatedJson *version = find("version"); version && number(*version, "'version'") != 1.0)
            text_.refuse(version->offset,
                         "this preset is of version " + formatNumber(version->number) +
                             ", this program reads version 1",
                         "a newer Tessera reads it");
    }

    double number(const LocatedJson &value, const std::string &what) const {
        if (value.kind != Kind::Number)
            text_.refuse(value.offset, what + " must be a number");
        return value.number;
    }

    const std::string &string(const LocatedJson &value, const std::string &what) const {
        if (value.kind != Kind::String)
            text_.refuse(value.offset, what + " must be a text in quotes");
        return value.string;
    }

    int wholeNumber(const LocatedJson &value, const std::string &what, int least, int most) const {
        const double given = number(value, what);
        if (given != std::rint(given) || given < least || given > most)
            text_.refuse(value.offset, what + " must be a whole number from " + std::to_string(least) + " to " +
                                           std::to_string(most) + ", not " + formatNumber(given));
        return static_cast<int>(given);
    }

    std::optional<int> statedSide(const char *name) const {
        const LocatedJson *side = find(name);
        if (!side)
            return std::nullopt;
        return wholeNumber(*side, "'" + std::string(name) + "'", 1, ConvolutionKernel::maximumSide);
    }

    ConvolutionKernel readTaps(const LocatedJson &taps) const {
        if (taps.kind != Kind::Array || taps.items.empty())
            text_.refuse(taps.offset, "'taps' must be a list of rows", example);
        const std::optional<int> width = statedSide("width"), height = statedSide("height");
        return taps.items.front().kind == Kind::Array ? readRows(taps, width, height) : readFlat(taps, width, height);
    }

    ConvolutionKernel readRows(const LocatedJson &taps, std::optional<int> width, std::optional<int> height) const {
        const std::size_t columns = width ? std::size_t(*width) : taps.items.front().items.size();
        const std::size_t rows = height ? std::size_t(*height) : taps.items.size();
        checkSide(taps.items.front(), columns);
        checkSide(taps, rows);
        if (taps.items.size() != rows)
            text_.refuse(taps.offset, "'taps' has " + std::to_string(taps.items.size()) + " rows, 'height' says " +
                                          std::to_string(rows));
        std::vector<double> values;
        for (const LocatedJson &row : taps.items) {
            if (row.kind != Kind::Array)
                text_.refuse(row.offset, "a row of taps must be a list of numbers");
            if (row.items.size() != columns)
                text_.refuse(row.offset, "this row has " + std::to_string(row.items.size()) + " taps, " +
                                             (width ? "'width' says " : "the first row has ") +
                                             std::to_string(columns));
            for (const LocatedJson &tap : row.items)
                values.push_back(number(tap, "a tap"));
        }
        return ConvolutionKernel::centred(int(columns), int(rows), std::move(values));
    }

    ConvolutionKernel readFlat(const LocatedJson &taps, std::optional<int> width, std::optional<int> height) const {
        if (!width || !height)
            text_.refuse(taps.offset, "a flat list of taps needs 'width' and 'height'", "or write a list of rows");
        const std::size_t wanted = std::size_t(*width) * std::size_t(*height);
        if (taps.items.size() != wanted)
            text_.refuse(taps.offset, "'taps' has " + std::to_string(taps.items.size()) + " numbers, " +
                                          std::to_string(*width) + "x" + std::to_string(*height) + " needs " +
                                          std::to_string(wanted));
        std::vector<double> values;
        for (const LocatedJson &tap : taps.items)
            values.push_back(number(tap, "a tap"));
        return ConvolutionKernel::centred(*width, *height, std::move(values));
    }

    void checkSide(const LocatedJson &list, std::size_t side) const {
        if (side < 1 || side > std::size_t(ConvolutionKernel::maximumSide))
            text_.refuse(list.offset, "kernels have 1 to " + std::to_string(ConvolutionKernel::maximumSide) +
                                          " taps a side, here are " + std::to_string(side));
    }

    void readAnchor(ConvolutionKernel &kernel) const {
        const LocatedJson *anchor = find("anchor");
        if (!anchor)
            return;
        if (anchor->kind != Kind::Array || anchor->items.size() != 2)
            text_.refuse(anchor->offset, "'anchor' must be [x, y]");
        kernel.anchorX = wholeNumber(anchor->items[0], "the anchor's x", 0, kernel.width - 1);
        kernel.anchorY = wholeNumber(anchor->items[1], "the anchor's y", 0, kernel.height - 1);
    }

    void readDivisor(ConvolutionKernel &kernel) const {
        kernel.divisor = 1.0;
        const LocatedJson *divisor = find("divisor");
        if (!divisor)
            return;
        if (divisor->kind == Kind::String && divisor->string == "auto") {
            kernel.divisor.reset();
            return;
        }
        if (divisor->kind != Kind::Number || divisor->number == 0.0)
            text_.refuse(divisor->offset, "'divisor' must be a number other than 0, or \"auto\"");
        kernel.divisor = divisor->number;
    }

    const LocatedText &text_;
    const LocatedJson &root_;
};

} // namespace

ConvolutionKernel parseKernelJson(const LocatedText &text) {
    const LocatedJson root = parseLocatedJson(text);
    return PresetReader(text, root).read();
}

} // namespace tessera
