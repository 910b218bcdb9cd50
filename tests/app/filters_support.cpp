#include "tests/app/filters_support.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tessera::test {

double correlate(const ConvolutionKernel &kernel, const Picture &picture, int x, int y) {
    double sum = 0.0;
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u)
            sum += kernel.at(u, v) * picture(x + u - kernel.anchorX, y + v - kernel.anchorY);
    return sum / kernel.effectiveDivisor() + kernel.offset;
}

ConvolutionKernel kernelOf(const char *filter) {
    const FilterProgram program = buildFilter(parseFilter(filter));
    if (program.kernels.size() != 1 || program.combine != Combine::Single)
        throw std::logic_error("a filter of one kernel was expected");
    return program.kernels.front();
}

Moments momentsOf(const ConvolutionKernel &kernel) {
    Moments moments;
    const auto forEachTap = [&](const auto &visit) {
        for (int v = 0; v < kernel.height; ++v)
            for (int u = 0; u < kernel.width; ++u)
                visit(kernel.at(u, v) / kernel.effectiveDivisor(), u - kernel.anchorX, v - kernel.anchorY);
    };
    forEachTap([&](double tap, int x, int y) {
        moments.sum += tap;
        moments.x += tap * x;
        moments.y += tap * y;
    });
    forEachTap([&](double tap, int x, int y) {
        moments.xx += tap * (x - moments.x) * (x - moments.x);
        moments.yy += tap * (y - moments.y) * (y - moments.y);
        moments.xy += tap * (x - moments.x) * (y - moments.y);
    });
    return moments;
}

namespace {

template <class Other> double largestDifference(const ConvolutionKernel &kernel, Other other) {
    double largest = 0.0;
    for (int v = 0; v < kernel.height; ++v)
        for (int u = 0; u < kernel.width; ++u)
            largest = std::max(largest, std::abs(kernel.at(u, v) - other(u, v)));
    return largest / std::abs(kernel.effectiveDivisor());
}

} // namespace

double asymmetryLeftRight(const ConvolutionKernel &kernel) {
    return largestDifference(kernel, [&](int u, int v) { return kernel.at(kernel.width - 1 - u, v); });
}

double asymmetryUpDown(const ConvolutionKernel &kernel) {
    return largestDifference(kernel, [&](int u, int v) { return kernel.at(u, kernel.height - 1 - v); });
}

double asymmetryDiagonal(const ConvolutionKernel &kernel) {
    return largestDifference(kernel, [&](int u, int v) { return kernel.at(v, u); });
}

} // namespace tessera::test
