#include "app/session/kernel_edit.h"

#include "app/core/error.h"
#include "app/filters/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace tessera {

namespace {

// Takes tap (u, v) of the result from (source(u, v)) of the kernel.
template <class Source>
ConvolutionKernel rearranged(const ConvolutionKernel &kernel, int width, int height, Source source) {
    ConvolutionKernel result = kernel;
    result.width = width;
    result.height = height;
    result.taps.assign(std::size_t(width) * std::size_t(height), 0.0);
    for (int v = 0; v < height; ++v)
        for (int u = 0; u < width; ++u) {
            const auto [x, y] = source(u, v);
            if (x >= 0 && x < kernel.width && y >= 0 && y < kernel.height)
                result.at(u, v) = kernel.at(x, y);
        }
    return result;
}

using Cells = std::vector<std::vector<std::optional<double>>>; // empty: nothing stands there

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\xa0");
    if (first == std::string_view::npos)
        return {};
    return text.substr(first, text.find_last_not_of(" \t\xa0") - first + 1);
}

double cellValue(std::string_view cell) {
    if (const auto value = parseTap(cell))
        return *value;
    throw Error(ErrorKind::Usage,
                "'" + std::string(cell.substr(0, 40)) + "' is " +
                    (isOutOfRange(cell) ? "too large or too small for a number" : "not a number"),
                "paste rows of numbers, separated by tabs, commas or spaces");
}

std::vector<std::optional<double>> cellsOf(std::string_view line, bool table) {
    std::vector<std::optional<double>> row;
    if (table) { // every separator ends a cell, empty or not
        for (std::size_t start = 0; start <= line.size();) {
            const std::size_t stop = std::min(line.find_first_of("\t;", start), line.size());
            const std::string_view cell = trimmed(line.substr(start, stop - start));
            row.push_back(cell.empty() ? std::nullopt : std::optional(cellValue(cell)));
            start = stop + 1;
        }
        return row;
    }
    for (std::size_t position = 0; (position = line.find_first_not_of(" ,", position)) != std::string_view::npos;) {
        const std::size_t stop = std::min(line.find_first_of(" ,", position), line.size());
        row.push_back(cellValue(line.substr(position, stop - position)));
        position = stop;
    }
    return row;
}

Cells parseCells(const std::string &text) {
    Cells rows;
    const bool table = text.find_first_of("\t;") != std::string::npos;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\r\n", start), text.size());
        const std::string_view line(text.data() + start, end - start);
        start = end + 1;
        if (!trimmed(line).empty())
            rows.push_back(cellsOf(line, table));
    }
    return rows;
}

// With a decimal point and without a plus.
std::string plainDigits(std::string_view text) {
    text = trimmed(text);
    if (!text.empty() && text.front() == '+')
        text.remove_prefix(1);
    std::string digits(text);
    if (std::ranges::count(digits, ',') == 1 && digits.find('.') == std::string::npos)
        digits[digits.find(',')] = '.';
    return digits;
}

std::optional<double> plainNumber(std::string_view text) {
    const std::optional<double> value = parseNumber(plainDigits(text));
    return value && std::isfinite(*value) ? value : std::nullopt;
}

// Where the tap goes under each move that the symmetry knows, itself included, with its sign.
struct TapImage {
    int u, v;
    double sign;
};

std::vector<TapImage> imagesOf(const ConvolutionKernel &kernel, int u, int v, KernelSymmetry symmetry) {
    const int left = kernel.width - 1 - u, up = kernel.height - 1 - v;
    std::vector<TapImage> images{{u, v, 1}};
    if (symmetry == KernelSymmetry::LeftRight)
        images.push_back({left, v, 1});
    if (symmetry == KernelSymmetry::TopBottom)
        images.push_back({u, up, 1});
    if (symmetry == KernelSymmetry::Point || symmetry == KernelSymmetry::PointSign)
        images.push_back({left, up, symmetry == KernelSymmetry::Point ? 1.0 : -1.0});
    if (symmetry == KernelSymmetry::Both || symmetry == KernelSymmetry::Round)
        images.insert(images.end(), {{left, v, 1}, {u, up, 1}, {left, up, 1}});
    if (symmetry == KernelSymmetry::Round && kernel.width == kernel.height)
        for (std::size_t i = 0; i < 4; ++i)
            images.push_back({images[i].v, images[i].u, 1});
    return images;
}

} // namespace

ConvolutionKernel resized(const ConvolutionKernel &kernel, int width, int height) {
    width = std::clamp(width, 1, ConvolutionKernel::maximumSide);
    height = std::clamp(height, 1, ConvolutionKernel::maximumSide);
    const bool centred = kernel.anchorX == kernel.width / 2 && kernel.anchorY == kernel.height / 2;
    int shiftX = width / 2 - kernel.width / 2,
        shiftY = height / 2 - kernel.height / 2; // keeps the middle in the middle
    ConvolutionKernel result =
        rearranged(kernel, width, height, [&](int u, int v) { return std::pair(u - shiftX, v - shiftY); });
    result.anchorX = kernel.anchorX + shiftX;
    result.anchorY = kernel.anchorY + shiftY;
    if (centred || result.anchorX < 0 || result.anchorX >= width || result.anchorY < 0 || result.anchorY >= height) {
        result.anchorX = width / 2;
        result.anchorY = height / 2;
    }
    return result;
}

ConvolutionKernel rotated90(const ConvolutionKernel &kernel) {
    ConvolutionKernel result = rearranged(kernel, kernel.height, kernel.width,
                                          [&](int u, int v) { return std::pair(v, kernel.height - 1 - u); });
    result.anchorX = kernel.height - 1 - kernel.anchorY;
    result.anchorY = kernel.anchorX;
    return result;
}

ConvolutionKernel mirroredHorizontally(const ConvolutionKernel &kernel) {
    ConvolutionKernel result = rearranged(kernel, kernel.width, kernel.height,
                                          [&](int u, int v) { return std::pair(kernel.width - 1 - u, v); });
    result.anchorX = kernel.width - 1 - kernel.anchorX;
    return result;
}

ConvolutionKernel mirroredVertically(const ConvolutionKernel &kernel) {
    ConvolutionKernel result = rearranged(kernel, kernel.width, kernel.height,
                                          [&](int u, int v) { return std::pair(u, kernel.height - 1 - v); });
    result.anchorY = kernel.height - 1 - kernel.anchorY;
    return result;
}

ConvolutionKernel scaled(const ConvolutionKernel &kernel, double factor) {
    ConvolutionKernel result = kernel;
    for (double &tap : result.taps)
        tap *= factor;
    return result;
}

ConvolutionKernel withTap(const ConvolutionKernel &kernel, int u, int v, double value) {
    if (u < 0 || u >= kernel.width || v < 0 || v >= kernel.height)
        throw Error(ErrorKind::Usage, "the kernel has no tap at " + std::to_string(u) + "," + std::to_string(v));
    if (!std::isfinite(value))
        throw Error(ErrorKind::Usage, "a tap must be a finite number");
    ConvolutionKernel result = kernel;
    result.at(u, v) = value;
    return result;
}

ConvolutionKernel withSymmetricTap(const ConvolutionKernel &kernel, int u, int v, double value,
                                   KernelSymmetry symmetry) {
    ConvolutionKernel result = withTap(kernel, u, v, value);
    for (const TapImage &image : imagesOf(kernel, u, v, symmetry))
        result.at(image.u, image.v) = image.u == u && image.v == v && image.sign < 0 ? 0.0 : image.sign * value;
    return result;
}

std::optional<double> parseTap(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos)
        return plainNumber(text);
    const auto above = plainNumber(text.substr(0, slash)), below = plainNumber(text.substr(slash + 1));
    if (!above || !below || *below == 0 || !std::isfinite(*above / *below))
        return std::nullopt;
    return *above / *below;
}

bool isOutOfRange(std::string_view text) {
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
        const std::string_view above = text.substr(0, slash), below = text.substr(slash + 1);
        if (isOutOfRange(above) || isOutOfRange(below))
            return true;
        const auto a = plainNumber(above), b = plainNumber(below);
        return a && b && *b != 0 && !std::isfinite(*a / *b);
    }
    const std::string digits = plainDigits(text);
    double value = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return problem == std::errc::result_out_of_range && end == digits.data() + digits.size();
}

ConvolutionKernel withPastedTaps(const ConvolutionKernel &kernel, int u, int v, const std::string &text) {
    const Cells rows = parseCells(text);
    if (rows.empty())
        throw Error(ErrorKind::Usage, "the clipboard holds no numbers", "copy cells from a table and paste again");
    std::size_t widest = 0;
    for (const auto &row : rows)
        widest = std::max(widest, row.size());
    const int width = std::max(kernel.width, u + int(widest)), height = std::max(kernel.height, v + int(rows.size()));
    if (width > ConvolutionKernel::maximumSide || height > ConvolutionKernel::maximumSide)
        throw Error(ErrorKind::Usage, "a kernel of " + std::to_string(width) + " x " + std::to_string(height) +
                                          " is larger than 255 x 255");
    ConvolutionKernel result = rearranged(kernel, width, height, [](int x, int y) { return std::pair(x, y); });
    for (std::size_t y = 0; y < rows.size(); ++y)
        for (std::size_t x = 0; x < rows[y].size(); ++x)
            if (rows[y][x])
                result.at(u + int(x), v + int(y)) = *rows[y][x];
    if (width != kernel.width || height != kernel.height) {
        result.anchorX = width / 2;
        result.anchorY = height / 2;
    }
    return result;
}

} // namespace tessera
