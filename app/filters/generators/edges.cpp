#include "app/filters/generators/generators.h"
#include "app/filters/generators/taps.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

namespace tessera {

namespace {

enum class Axis { X, Y, Both };

// Derivative across, smoothing along: side, centre, side are the weights along the edge.
ConvolutionKernel derivative(const char *operatorName, double side, double centre, Axis axis, double divisor) {
    const std::vector<double> difference{-1, 0, 1}, smooth{side, centre, side};
    const bool x = axis == Axis::X;
    ConvolutionKernel kernel =
        ConvolutionKernel::centred(3, 3, x ? outerProduct(difference, smooth) : outerProduct(smooth, difference),
                                   std::string(operatorName) + (x ? " x" : " y"));
    kernel.divisor = divisor;
    return kernel;
}

FilterProgram gradient(const char *operatorName, double side, double centre, Axis axis, const Parameters &parameters) {
    const double divisor = parameters.boolean("normalized") ? 2 * side + centre : 1.0;
    FilterProgram program;
    if (axis != Axis::Y)
        program.kernels.push_back(derivative(operatorName, side, centre, Axis::X, divisor));
    if (axis != Axis::X)
        program.kernels.push_back(derivative(operatorName, side, centre, Axis::Y, divisor));
    program.combine = axis == Axis::Both ? Combine::Magnitude : Combine::Single;
    return program;
}

template <Axis axis> FilterProgram sobel(const Parameters &p) { return gradient("Sobel", 1, 2, axis, p); }
template <Axis axis> FilterProgram scharr(const Parameters &p) { return gradient("Scharr", 3, 10, axis, p); }
template <Axis axis> FilterProgram prewitt(const Parameters &p) { return gradient("Prewitt", 1, 1, axis, p); }

FilterProgram laplacian(const Parameters &parameters) {
    const bool eight = parameters.integer("neighbours") == 1; // the second choice
    const double corner = eight ? 1 : 0, centre = eight ? -8 : -4;
    return singleKernel(ConvolutionKernel::centred(3, 3, {corner, 1, corner, 1, centre, 1, corner, 1, corner}));
}

// (r^2 - 2 sigma^2) / sigma^4 * G(r), sampled at the pixels. What sampling leaves over of the zero sum is taken away
// in the gaussian's shape, so that the tails still fall to zero; a flat picture answers with 0.
FilterProgram laplacianOfGaussian(const Parameters &parameters) {
    const double variance = parameters.real("sigma") * parameters.real("sigma");
    const int radius = gaussianRadius(parameters.real("sigma"), 4.0);
    const int side = 2 * radius + 1;
    const std::vector<double> weights = gaussianSquare(parameters.real("sigma"), radius);
    std::vector<double> taps;
    for (int i = 0; i < side * side; ++i) {
        const int x = i % side - radius, y = i / side - radius;
        taps.push_back((x * x + y * y - 2 * variance) / (variance * variance) * weights[std::size_t(i)]);
    }
    const double excess = std::accumulate(taps.begin(), taps.end(), 0.0);
    const double scale = parameters.boolean("normalized") ? variance : 1.0;
    for (std::size_t i = 0; i < taps.size(); ++i)
        taps[i] = scale * (taps[i] - excess * weights[i]);
    settleSum(taps, 0.0);
    return singleKernel(ConvolutionKernel::centred(side, side, std::move(taps)));
}

// Both gaussians on the support of the wider one, each with sum 1.
FilterProgram differenceOfGaussians(const Parameters &parameters) {
    const double first = parameters.real("sigma1"), second = parameters.real("sigma2");
    const int radius = gaussianRadius(std::max(first, second));
    std::vector<double> taps = gaussianSquare(first, radius);
    const std::vector<double> wide = gaussianSquare(second, radius);
    for (std::size_t i = 0; i < taps.size(); ++i)
        taps[i] -= wide[i];
    settleSum(taps, 0.0);
    return singleKernel(ConvolutionKernel::centred(2 * radius + 1, 2 * radius + 1, std::move(taps)));
}

// Three fives and five minus threes on the rim, turned by an eighth from kernel to kernel (Kirsch 1971). The name
// says where the bright side lies.
FilterProgram kirsch(const Parameters &parameters) {
    constexpr std::array<std::size_t, 8> rim{0, 1, 2, 5, 8, 7, 6, 3}; // clockwise from the upper left
    constexpr std::array<const char *, 8> names{"N", "NE", "E", "SE", "S", "SW", "W", "NW"};
    FilterProgram program{{}, Combine::Maximum};
    for (std::size_t direction = 0; direction < names.size(); ++direction) {
        std::vector<double> taps(9, -3.0);
        taps[4] = 0.0;
        for (std::size_t i = 0; i < 3; ++i)
            taps[rim[(direction + i) % rim.size()]] = 5.0;
        program.kernels.push_back(
            ConvolutionKernel::centred(3, 3, std::move(taps), std::string("Kirsch ") + names[direction]));
        program.kernels.back().divisor = parameters.boolean("normalized") ? 15.0 : 1.0;
    }
    return program;
}

constexpr std::array<NamedGenerator, 13> generators{{
    {"sobel", sobel<Axis::Both>},
    {"sobel-x", sobel<Axis::X>},
    {"sobel-y", sobel<Axis::Y>},
    {"scharr", scharr<Axis::Both>},
    {"scharr-x", scharr<Axis::X>},
    {"scharr-y", scharr<Axis::Y>},
    {"prewitt", prewitt<Axis::Both>},
    {"prewitt-x", prewitt<Axis::X>},
    {"prewitt-y", prewitt<Axis::Y>},
    {"laplacian", laplacian},
    {"log", laplacianOfGaussian},
    {"dog", differenceOfGaussians},
    {"kirsch", kirsch},
}};

} // namespace

std::span<const NamedGenerator> edgeGenerators() { return generators; }

} // namespace tessera
