#include "app/bench/statistics_workload.h"

#include "app/core/error.h"
#include "app/core/thread_pool.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>

namespace tessera::bench {

namespace {

// Value noise: random numbers on a grid, interpolated smoothly between.
double noise(const PixelBlock &grid, double x, double y) {
    const int column = int(x), row = int(y);
    const auto smooth = [](double t) { return t * t * (3 - 2 * t); };
    const double u = smooth(x - column), v = smooth(y - row);
    const auto at = [&](int i, int j) { return grid.value((column + i) % grid.width, (row + j) % grid.height, 0); };
    return (at(0, 0) * (1 - u) + at(1, 0) * u) * (1 - v) + (at(0, 1) * (1 - u) + at(1, 1) * u) * v;
}

// 0..1.
double photographValue(const PixelBlock &grid, int x, int y, double period) {
    double sum = 0, weight = 0.5;
    for (double scale = 1; scale < 64; scale *= 2, weight /= 2)
        sum += weight * noise(grid, x * scale / period, y * scale / period);
    const double contrast = std::clamp(1.6 * sum - 0.3, 0.0, 1.0); // some clipping, as skies and shadows have
    return std::clamp(contrast + 0.01 * (noise(grid, x * 1.7, y * 1.3) - 0.5), 0.0, 1.0);
}

std::function<double(int x, int y, int channel)> valuesOf(const std::string &distribution, const PixelBlock &grid,
                                                          int width, int height) {
    if (distribution == "constant")
        return [](int, int, int) { return 0.5; };
    if (distribution == "two-values")
        return [](int x, int y, int) { return (x ^ y) & 1 ? 0.75 : 0.25; };
    if (distribution == "ramp")
        return [width](int x, int, int) { return double(x) / std::max(width - 1, 1); };
    if (distribution == "photograph")
        return [&grid, period = std::max(width, height) / 6.0](int x, int y, int channel) {
            return photographValue(grid, x + 17 * channel, y, period);
        };
    throw Error(ErrorKind::Internal, "there is no distribution '" + distribution + "'");
}

} // namespace

const std::vector<std::string> &distributionNames() {
    static const std::vector<std::string> names{"uniform", "constant", "two-values", "photograph", "ramp"};
    return names;
}

PixelBlock distributedPicture(const std::string &distribution, const PixelKind &pixel, int width, int height,
                              std::uint64_t seed) {
    if (distribution == "uniform")
        return randomPicture(pixel, width, height, seed);
    const PixelBlock grid = randomPicture(*findPixelKind("f32"), 257, 257, seed);
    const auto value = valuesOf(distribution, grid, width, height);
    const bool wide = pixel.type == ScalarType::U16;
    const double white = wide ? 65535 : 255;
    PixelBlock block(pixel, width, height);
    ThreadPool::shared().parallelFor(std::size_t(height), [&](std::size_t row) {
        std::byte *bytes = block.row(int(row));
        auto *words = reinterpret_cast<std::uint16_t *>(bytes);
        for (int x = 0; x < width; ++x)
            for (int channel = 0; channel < pixel.channels; ++channel) {
                const auto level = unsigned(std::rint(white * value(x, int(row), channel)));
                const int i = x * pixel.channels + channel;
                if (wide)
                    words[i] = std::uint16_t(level);
                else
                    bytes[i] = std::byte(level);
            }
    });
    return block;
}

std::string_view statisticsKindName(StatisticsKind kind) {
    switch (kind) {
    case StatisticsKind::Histogram:
        return "histogram";
    case StatisticsKind::Statistics:
        return "statistics";
    case StatisticsKind::Both:
        return "statistics + histogram";
    }
    return "unknown";
}

std::vector<ChannelCounts> exactCounts(const PixelBlock &picture) {
    const bool wide = picture.pixel.type == ScalarType::U16;
    const std::size_t levels = wide ? 65536 : 256;
    const auto channels = std::size_t(picture.pixel.channels);
    std::vector<ChannelCounts> counts(channels);
    for (ChannelCounts &channel : counts)
        channel.histogram.resize(levels);
    for (int y = 0; y < picture.height; ++y) {
        const std::byte *bytes = picture.row(y);
        const auto *words = reinterpret_cast<const std::uint16_t *>(bytes);
        for (std::size_t i = 0; i < std::size_t(picture.width) * channels; ++i)
            ++counts[i % channels].histogram[wide ? words[i] : std::size_t(bytes[i])];
    }
    for (ChannelCounts &channel : counts) {
        channel.minimum = levels;
        for (std::size_t level = 0; level < levels; ++level) {
            channel.sum += level * channel.histogram[level];
            if (channel.histogram[level] > 0) {
                channel.minimum = std::min<std::uint64_t>(channel.minimum, level);
                channel.maximum = level;
            }
        }
    }
    return counts;
}

std::shared_ptr<const StatisticsTask> makeStatisticsTask(const std::string &distribution, const PixelKind &pixel,
                                                         int width, int height, std::uint64_t seed) {
    auto task = std::make_shared<StatisticsTask>();
    task->distribution = distribution;
    task->picture = distributedPicture(distribution, pixel, width, height, seed);
    task->exact = exactCounts(task->picture);
    return task;
}

CheckResult compareCounts(const StatisticsTask &task, const std::vector<ChannelCounts> &found, StatisticsKind kind) {
    CheckResult check;
    check.pixelsChecked = check.pixelsWhole = std::uint64_t(task.picture.width) * std::uint64_t(task.picture.height);
    check.wholeBorder = true;
    const auto differ = [&](std::uint64_t a, std::uint64_t b, const std::string &what, std::size_t channel) {
        const double error = std::fabs(double(a) - double(b));
        check.maxError = std::max(check.maxError, error);
        if (error > 0 && check.failure.empty())
            check.failure = "channel " + std::to_string(channel) + ": " + what + " is " + std::to_string(a) + ", not " +
                            std::to_string(b);
    };
    if (found.size() != task.exact.size())
        check.failure =
            "it counts " + std::to_string(found.size()) + " channels of " + std::to_string(task.exact.size());
    for (std::size_t c = 0; c < std::min(found.size(), task.exact.size()); ++c) {
        const ChannelCounts &exact = task.exact[c];
        if (kind != StatisticsKind::Histogram) {
            differ(found[c].sum, exact.sum, "the sum", c);
            differ(found[c].minimum, exact.minimum, "the minimum", c);
            differ(found[c].maximum, exact.maximum, "the maximum", c);
        }
        for (std::size_t level = 0; kind != StatisticsKind::Statistics && level < exact.histogram.size(); ++level)
            differ(level < found[c].histogram.size() ? found[c].histogram[level] : 0, exact.histogram[level],
                   "the count of level " + std::to_string(level), c);
    }
    return check;
}

} // namespace tessera::bench
