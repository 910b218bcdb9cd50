#include "app/session/kernel_edit.h"

#include "app/core/error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

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

std::vector<std::vector<double>> parseCells(const std::string &text) {
    std::vector<std::vector<double>> rows;
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find_first_of("\r\n", start), text.size());
        const std::string_view line(text.data() + start, end - start);
        start = end + 1;
        std::vector<double> row;
        std::size_t position = 0;
        while ((position = line.find_first_not_of(" \t,;", position)) != std::string_view::npos) {
            const std::size_t stop = std::min(line.find_first_of(" \t,;", position), line.size());
            const std::string_view cell = line.substr(position, stop - position);
            const std::string_view digits = cell.front() == '+' ? cell.substr(1) : cell;
            double value = 0;
            const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
            if (error != std::errc() || last != digits.data() + digits.size() || !std::isfinite(value))
                throw Error(ErrorKind::Usage, "'" + std::string(cell.substr(0, 40)) + "' is not a number",
                            "paste rows of numbers, separated by tabs, commas or spaces");
            row.push_back(value);
            position = stop;
        }
        if (!row.empty())
            rows.push_back(std::move(row));
    }
    return rows;
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

ConvolutionKernel withPastedTaps(const ConvolutionKernel &kernel, int u, int v, const std::string &text) {
    const auto rows = parseCells(text);
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
            result.at(u + int(x), v + int(y)) = rows[y][x];
    if (width != kernel.width || height != kernel.height) {
        result.anchorX = width / 2;
        result.anchorY = height / 2;
    }
    return result;
}

} // namespace tessera
