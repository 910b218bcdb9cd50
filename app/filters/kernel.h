// A convolution kernel as the user thinks of it: taps in float64, an origin, a divisor and an offset.
//
// Meaning (correlation): output(x, y) = sum over (u, v) of taps(u, v) * picture(x + u - anchorX, y + v - anchorY),
// divided by the divisor, plus the offset. True convolution is the same with the kernel rotated by 180 degrees.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct ConvolutionKernel {
    static constexpr int maximumSide = 255; // what kernel files may hold; variants state smaller limits of their own

    int width = 1;
    int height = 1;
    int anchorX = 0; // 0 <= anchorX < width; the default is width / 2
    int anchorY = 0;
    std::vector<double> taps{1.0}; // row-major, width * height
    std::optional<double> divisor; // empty: automatic, the sum of the taps, or 1 where that is 0
    double offset = 0.0;           // in the picture's own units
    std::string name;              // for display; may be empty

    // Anchor at (width / 2, height / 2). taps.size() must be width * height, both 1..maximumSide, all finite.
    static ConvolutionKernel centred(int width, int height, std::vector<double> taps, std::string name = {});

    double at(int u, int v) const { return taps[std::size_t(v) * std::size_t(width) + std::size_t(u)]; }
    double &at(int u, int v) { return taps[std::size_t(v) * std::size_t(width) + std::size_t(u)]; }
    double sum() const;
    double magnitude() const;        // sum of |tap|: by how much sums of products can grow
    double effectiveDivisor() const; // resolves the automatic divisor
    bool hasNegativeTaps() const;

    ConvolutionKernel rotated180() const; // taps and anchor; makes correlation a true convolution
    ConvolutionKernel normalized() const; // divisor = sum where the sum is not 0, else unchanged

    friend bool operator==(const ConvolutionKernel &, const ConvolutionKernel &) = default;
};

} // namespace tessera
