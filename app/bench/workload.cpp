#include "app/bench/workload.h"

#include "app/core/thread_pool.h"

#include <algorithm>
#include <cstring>

namespace tessera::bench {

namespace {

// Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014: any index at once, so that rows can be
// filled side by side.
std::uint64_t splitMix(std::uint64_t index) {
    std::uint64_t z = index * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

float unitFloat(std::uint64_t bits) { return float(bits >> 40) * 0x1p-24f; }

template <class T> T randomValue(std::uint64_t bits) {
    if constexpr (std::is_integral_v<T>)
        return T(bits >> 32);
    else
        return T(unitFloat(bits));
}

template <class Function> void withScalarType(ScalarType type, Function &&function) {
    switch (type) {
    case ScalarType::U8:
        return function(std::uint8_t{});
    case ScalarType::U16:
        return function(std::uint16_t{});
    case ScalarType::F16:
        return function(Half(0.0f));
    case ScalarType::F32:
        return function(0.0f);
    }
}

template <class From, class To> void convertRow(const From *from, To *to, int count) {
    for (int i = 0; i < count; ++i)
        to[i] = To(from[i]);
}

} // namespace

Depth depthOf(ScalarType type) {
    return type == ScalarType::U8 ? Depth::U8 : type == ScalarType::U16 ? Depth::U16 : Depth::F32;
}

const std::vector<PixelKind> &benchPixelKinds() {
    static const std::vector<PixelKind> kinds = [] {
        std::vector<PixelKind> all = pixelKinds();
        all.push_back({"rgb8", ScalarType::U8, 3});
        return all;
    }();
    return kinds;
}

const PixelKind *findBenchPixelKind(std::string_view name) {
    const auto found = std::ranges::find(benchPixelKinds(), name, &PixelKind::name);
    return found == benchPixelKinds().end() ? nullptr : &*found;
}

double PixelBlock::value(int x, int y, int channel) const {
    double value = 0;
    withScalarType(pixel.type, [&]<class T>(T sample) {
        std::memcpy(&sample, row(y) + std::size_t(x * pixel.channels + channel) * sizeof(T), sizeof(T));
        if constexpr (std::is_same_v<T, Half>)
            value = double(float(sample));
        else
            value = double(sample);
    });
    return value;
}

PixelBlock randomPicture(const PixelKind &pixel, int width, int height, std::uint64_t seed) {
    PixelBlock block(pixel, width, height);
    const std::size_t perRow = std::size_t(width) * std::size_t(pixel.channels);
    const std::uint64_t start = splitMix(seed + 1);
    ThreadPool::shared().parallelFor(std::size_t(height), [&](std::size_t y) {
        withScalarType(pixel.type, [&]<class T>(T) {
            T *row = reinterpret_cast<T *>(block.row(int(y)));
            for (std::size_t i = 0; i < perRow; ++i)
                row[i] = randomValue<T>(splitMix(start + y * perRow + i));
        });
    });
    return block;
}

Image imageOf(const PixelBlock &block) {
    Image image(block.width, block.height, {depthOf(block.pixel.type), block.pixel.channels});
    const PixelView view = image.view();
    ThreadPool::shared().parallelFor(std::size_t(block.height), [&](std::size_t y) {
        if (block.pixel.type == ScalarType::F16)
            convertRow(reinterpret_cast<const Half *>(block.row(int(y))), view.row<float>(int(y)),
                       block.width * block.pixel.channels);
        else
            std::memcpy(view.row<std::byte>(int(y)), block.row(int(y)), block.rowBytes());
    });
    return image;
}

void copyRows(const ConstPixelView &from, PixelBlock &to) {
    ThreadPool::shared().parallelFor(std::size_t(to.height), [&](std::size_t y) {
        if (to.pixel.type == ScalarType::F16)
            convertRow(from.row<float>(int(y)), reinterpret_cast<Half *>(to.row(int(y))), to.width * to.pixel.channels);
        else
            std::memcpy(to.row(int(y)), from.row<std::byte>(int(y)), to.rowBytes());
    });
}

PixelBlock blockOf(const ConstPixelView &picture, const PixelKind &pixel) {
    PixelBlock block(pixel, picture.width, picture.height);
    const double scale = (pixel.type == ScalarType::U8    ? 255.0
                          : pixel.type == ScalarType::U16 ? 65535.0
                                                          : 1.0) /
                         nominalMaximum(picture.format.depth);
    const auto sampleAt = [&](int x, int y, int channel) -> double {
        const int have = picture.format.channels;
        const bool grey = have <= 2;
        if (channel == 3 && !picture.format.hasAlpha())
            return nominalMaximum(picture.format.depth);
        const int from = channel == 3 ? have - 1 : grey ? 0 : std::min(channel, have - 1);
        const int index = x * have + from;
        switch (picture.format.depth) {
        case Depth::U8:
            return picture.row<std::uint8_t>(y)[index];
        case Depth::U16:
            return picture.row<std::uint16_t>(y)[index];
        case Depth::F32:
            break;
        }
        return double(picture.row<float>(y)[index]);
    };
    ThreadPool::shared().parallelFor(std::size_t(block.height), [&](std::size_t row) {
        const int y = int(row);
        withScalarType(pixel.type, [&]<class T>(T) {
            T *to = reinterpret_cast<T *>(block.row(y));
            for (int x = 0; x < block.width; ++x)
                for (int channel = 0; channel < pixel.channels; ++channel) {
                    const float value = float(sampleAt(x, y, channel) * scale);
                    if constexpr (std::is_integral_v<T>)
                        *to++ = finishValue<T>(Finish{}, value);
                    else
                        *to++ = T(value);
                }
        });
    });
    return block;
}

ConvolutionKernel randomKernel(int width, int height, std::uint64_t seed) {
    std::vector<double> taps(std::size_t(width) * std::size_t(height));
    double sum = 0;
    for (std::size_t i = 0; i < taps.size(); ++i)
        sum += taps[i] = 1.2 * double(unitFloat(splitMix(splitMix(seed + 2) + i))) - 0.2;
    if (sum < 0.1 * double(taps.size())) // a small one whose negative taps prevail
        for (double &tap : taps)
            sum += tap < 0 ? 2 * (tap = -tap) : 0;
    for (double &tap : taps)
        tap = double(float(tap / sum)); // exact in float, so that all contenders use the very same taps
    ConvolutionKernel kernel = ConvolutionKernel::centred(width, height, std::move(taps), "random");
    kernel.divisor = 1.0;
    return kernel;
}

ConvolutionJob emptyJobOf(const Workload &workload, std::string_view variant) {
    ConvolutionJob job;
    job.source.width = job.region.width = job.target.width = workload.width;
    job.source.height = job.region.height = job.target.height = workload.height;
    job.source.format = job.target.format = {depthOf(workload.pixel.type), workload.pixel.channels};
    job.kernel = &workload.kernel;
    job.border = workload.border;
    job.variant = variant;
    return job;
}

ConvolutionJob jobOf(const Workload &workload, const ConstPixelView &source, const PixelView &target) {
    ConvolutionJob job;
    job.source = source;
    job.target = target;
    job.region = source.bounds();
    job.kernel = &workload.kernel;
    job.border = workload.border;
    return job;
}

} // namespace tessera::bench
