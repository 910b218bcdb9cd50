// Small pictures and steps in few words, for the pipeline's tests.
#pragma once

#include "app/engines/engine_support.h"
#include "app/session/pipeline.h"

#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace tessera::test {

inline double valueAt(const Image &image, int x, int y, int channel) {
    const int i = x * image.format().channels + channel;
    return withSampleType(image.format().depth,
                          [&]<class T>(std::type_identity<T>) { return double(image.view().row<T>(y)[i]); });
}

inline void setValue(Image &image, int x, int y, int channel, double value) {
    const int i = x * image.format().channels + channel;
    withSampleType(image.format().depth,
                   [&]<class T>(std::type_identity<T>) { image.view().row<T>(y)[i] = static_cast<T>(value); });
}

// Values row by row, channels interleaved.
inline Image picture(int width, int height, PixelFormat format, const std::vector<double> &values) {
    Image image(width, height, format);
    std::size_t i = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < format.channels; ++c)
                setValue(image, x, y, c, values.at(i++));
    return image;
}

inline std::vector<double> valuesOf(const Image &image) {
    std::vector<double> values;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            for (int c = 0; c < image.format().channels; ++c)
                values.push_back(valueAt(image, x, y, c));
    return values;
}

// Integers over the whole range, float within 0..1, alpha of every kind: transparent, opaque and between.
inline Image randomPicture(int width, int height, PixelFormat format, std::mt19937_64 &random) {
    Image image(width, height, format);
    const double maximum = nominalMaximum(format.depth);
    std::uniform_real_distribution<double> real(0.0, 1.0);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < format.channels; ++c) {
                double value = real(random);
                if (format.hasAlpha() && c == format.channels - 1)
                    value = std::min(1.0, std::max(0.0, value * 2.0 - 0.5));
                setValue(image, x, y, c, format.depth == Depth::F32 ? value : std::floor(value * maximum + 0.5));
            }
        }
    }
    return image;
}

inline FilterStep customStep(int width, int height, std::vector<double> taps, double divisor = 1.0) {
    FilterStep step;
    step.filter.name = "custom";
    step.filter.kernel = ConvolutionKernel::centred(width, height, std::move(taps));
    step.filter.kernel.divisor = divisor;
    return step;
}

inline FilterStep namedStep(std::string_view text) {
    FilterStep step;
    step.filter = parseFilter(text);
    return step;
}

inline Image run(const Image &source, const std::vector<FilterStep> &steps, OutputDepth depth = OutputDepth::Keep,
                 PipelineTimes *times = nullptr) {
    return runPipeline(source, steps, chooseEngine("auto", "cpu"), depth, {}, times);
}

inline bool identical(const Image &a, const Image &b) {
    if (a.width() != b.width() || a.height() != b.height() || a.format() != b.format())
        return false;
    for (int y = 0; y < a.height(); ++y)
        if (std::memcmp(a.view().row<std::byte>(y), b.view().row<std::byte>(y),
                        std::size_t(a.width()) * std::size_t(a.format().bytesPerPixel())) != 0)
            return false;
    return true;
}

} // namespace tessera::test
