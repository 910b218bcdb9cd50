// Times of histograms and statistics for pictures of every kind of distribution, beside the kernels that they replaced
// and cub's DeviceHistogram. Cold: three buffers in turn, each larger than the second-level cache. Contenders in turns,
// medians, and every count checked before it is timed. The share is that of one read at the rate of a copy.
//
// usage: histogram_bench [side, default 8192]
#include "gpu/device/properties.h"
#include "gpu/kernels/histogram.h"
#include "gpu/kernels/level_totals.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_launcher.h"

#if __has_include(<cub/device/device_histogram.cuh>)
#include <cub/device/device_histogram.cuh>
#define HAVE_CUB 1
#endif

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using namespace tessera;

namespace {

constexpr int warmUps = 20;
constexpr int samples = 100;
constexpr int buffers = 3;
constexpr std::array<const char *, 5> contents{"uniform", "constant", "two values", "photograph", "ramp"};

// One value of a synthetic picture, in [0, 1). The "photograph": waves of several lengths and a little noise.
struct FillPicture {
    ImageView<float> floats; // either
    ImageView<std::uint8_t> bytes;
    ImageView<std::uint16_t> words;
    int content = 0;
    unsigned seed = 0;
    int channels = 1;

    template <class Block> __device__ void operator()(Block &block) const {
        block.each([&](auto thread) {
            const int width = floats.width + bytes.width + words.width;
            const int y = block.index().y;
            for (int x = block.index().x * block.threads() + thread.index; x < width;
                 x += block.grid().x * block.threads()) {
                const float value = at(x / channels, y, unsigned(y) * unsigned(width) + unsigned(x), width / channels);
                if (floats.data)
                    thread.store(floats, x, y, value);
                else if (bytes.data)
                    thread.store(bytes, x, y, std::uint8_t(value * 256.0f));
                else
                    thread.store(words, x, y, std::uint16_t(value * 65536.0f));
            }
        });
    }

private:
    __device__ float at(int x, int y, unsigned place, int width) const {
        unsigned hash = place * 2654435761u + seed;
        hash = (hash ^ hash >> 15) * 2246822519u;
        hash = (hash ^ hash >> 13) * 3266489917u;
        const float random = float((hash ^ hash >> 16) >> 8) / 16777216.0f;
        switch (content) {
        case 0:
            return random;
        case 1:
            return 0.53f;
        case 2:
            return random < 0.5f ? 0.01f : 0.78f;
        case 3:
            return fminf(fmaxf(0.5f + 0.2f * sinf(float(x) * 0.011f) + 0.16f * cosf(float(y) * 0.017f) +
                                   0.08f * sinf(float(x) * 0.31f + float(y) * 0.17f) + 0.05f * (random - 0.5f),
                               0.0f),
                         0.9999f);
        default:
            return float(x) / float(width);
        }
    }
};

struct Contender {
    std::string name;
    std::function<void(int)> run; // of buffer i
    std::vector<double> times;
    const char *check = "";
};

class Pictures {
public:
    Pictures(int side, ScalarType type, int channels) : side_(side), type_(type), channels_(channels) {
        for (auto &buffer : buffers_)
            buffer.reserve(bytes());
        counts_.reserve(countBytes());
        blocks_ = cuda::statisticsBlocks(type, channels);
        partial_.reserve(cuda::statisticsBytes(type, channels, blocks_));
    }

    std::size_t bytes() const { return std::size_t(pitch()) * std::size_t(side_); }
    RawView view(int i) { return {buffers_[std::size_t(i)].data(), side_, side_, pitch(), type_, channels_}; }
    unsigned long long *counts() { return static_cast<unsigned long long *>(counts_.data()); }
    void *partial() { return partial_.data(); }
    int blocks() const { return blocks_; }
    int rows() const { return channels_ == 4 ? 5 : 1; }
    int bins() const { return type_ == ScalarType::U8 ? 256 : 65536; }
    std::int64_t pixels() const { return std::int64_t(side_) * side_; }

    void fill(int content) {
        for (int i = 0; i < buffers; ++i) {
            FillPicture kernel;
            const int width = side_ * channels_;
            void *data = view(i).data;
            if (type_ == ScalarType::F32)
                kernel.floats = {static_cast<float *>(data), width, side_, pitch()};
            else if (type_ == ScalarType::U8)
                kernel.bytes = {static_cast<std::uint8_t *>(data), width, side_, pitch()};
            else
                kernel.words = {static_cast<std::uint16_t *>(data), width, side_, pitch()};
            kernel.content = content;
            kernel.seed = unsigned(i) * 77u;
            kernel.channels = channels_;
            LaunchPlan plan;
            plan.grid = {8, side_};
            plan.block = {256, 1};
            cuda::CudaLauncher(nullptr).launch(plan, kernel);
        }
        TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
    }

    // The counts of buffer 0, by the host.
    template <class P> std::vector<unsigned long long> expected() {
        std::vector<P> pixels(std::size_t(this->pixels()));
        TESSERA_CUDA_CHECK(cudaMemcpy(pixels.data(), view(0).data, bytes(), cudaMemcpyDeviceToHost));
        std::vector<unsigned long long> counts(std::size_t(rows() * bins()), 0);
        for (const P &pixel : pixels) {
            for (int c = 0; c < P::channels; ++c)
                ++counts[std::size_t(c * bins()) + pixel.channel[c]];
            if constexpr (P::channels == 4)
                ++counts[std::size_t(4 * bins()) + luminanceLevel(pixel)];
        }
        return counts;
    }
    bool countsAre(const std::vector<unsigned long long> &expected, const std::function<void(int)> &run) {
        TESSERA_CUDA_CHECK(cudaMemset(counts_.data(), 0, countBytes()));
        run(0);
        std::vector<unsigned long long> counted(expected.size());
        TESSERA_CUDA_CHECK(cudaMemcpy(counted.data(), counts_.data(), countBytes(), cudaMemcpyDeviceToHost));
        return counted == expected;
    }

private:
    std::ptrdiff_t pitch() const { return std::ptrdiff_t(scalarBytes(type_)) * channels_ * side_; }
    std::size_t countBytes() const { return sizeof(unsigned long long) * std::size_t(rows() * bins()); }

    int side_;
    ScalarType type_;
    int channels_;
    int blocks_ = 0;
    std::array<cuda::DeviceBuffer, buffers> buffers_;
    cuda::DeviceBuffer counts_, partial_;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void race(std::vector<Contender> &contenders) {
    cuda::Event start, end;
    int turn = 0;
    for (int i = 0; i < warmUps + samples; ++i)
        for (Contender &contender : contenders) {
            start.record(nullptr);
            contender.run(turn++ % buffers);
            end.record(nullptr);
            TESSERA_CUDA_CHECK(cudaDeviceSynchronize());
            if (i >= warmUps)
                contender.times.push_back(end.millisecondsSince(start));
        }
}

void print(const char *content, std::vector<Contender> &contenders, double floor) {
    for (Contender &contender : contenders) {
        const double time = median(contender.times);
        std::printf("  %-12s %-28s %8.4f ms  %5.2f of a read  %s\n", content, contender.name.c_str(), time,
                    floor / time, contender.check);
        contender.times.clear();
    }
}

// The kernel that was here before: one histogram a warp, a pixel a load; in global memory for 16 bits.
template <class P> void launchPerWarp(const RawView &source, unsigned long long *counts, int blocks) {
    using Kernel = Histogram<P>;
    LaunchPlan plan;
    plan.grid = {blocks, 1};
    plan.block = {256, 1};
    plan.sharedBytes = Kernel::sharedBytes(256);
    cuda::CudaLauncher(nullptr).launch(
        plan, Kernel{source.as<const P>(), {counts, Kernel::bins, Kernel::rows, 8 * std::ptrdiff_t(Kernel::bins)}});
}

#ifdef HAVE_CUB
template <class P> void launchCub(const RawView &source, cuda::DeviceBuffer &memory, unsigned *counts) {
    using T = typename P::Scalar;
    constexpr int bins = sizeof(T) == 1 ? 256 : 65536;
    const T *data = static_cast<const T *>(source.data);
    const int pixels = source.width * source.height;
    const auto call = [&](void *workspace, std::size_t &size) {
        if constexpr (P::channels == 1)
            return cub::DeviceHistogram::HistogramEven(workspace, size, data, counts, bins + 1, 0, bins, pixels);
        else {
            unsigned *rows[4] = {counts, counts + bins, counts + 2 * bins, counts + 3 * bins};
            const int levels[4] = {bins + 1, bins + 1, bins + 1, bins + 1}, low[4] = {};
            const int high[4] = {bins, bins, bins, bins};
            return cub::DeviceHistogram::MultiHistogramEven<4, 4>(workspace, size, data, rows, levels, low, high,
                                                                  pixels);
        }
    };
    std::size_t size = 0;
    TESSERA_CUDA_CHECK(call(nullptr, size));
    TESSERA_CUDA_CHECK(call(memory.reserve(size), size));
}
#endif

template <class P> void compareLevels(int side, double readRate) {
    constexpr ScalarType type = sizeof(typename P::Scalar) == 1 ? ScalarType::U8 : ScalarType::U16;
    Pictures pictures(side, type, P::channels);
    const double floor = double(pictures.bytes()) / readRate;
    std::printf("\n%d bits, %d channel(s); one read: %.4f ms\n", 8 * scalarBytes(type), P::channels, floor);
    std::vector<Contender> contenders;
    contenders.push_back({"histogram", [&](int i) {
                              cuda::launchHistogram(pictures.view(i), pictures.counts(), pictures.blocks(), nullptr);
                          }});
    contenders.push_back({"histogram and statistics", [&](int i) {
                              cuda::launchHistogramAndStatistics(pictures.view(i), pictures.counts(),
                                                                 pictures.partial(), pictures.blocks(), nullptr);
                          }});
    contenders.push_back({"one histogram a warp", [&](int i) {
                              launchPerWarp<P>(pictures.view(i), pictures.counts(), 8 * pictures.blocks());
                          }});
    const std::size_t checked = contenders.size();
    contenders.push_back({"statistics alone", [&](int i) {
                              cuda::launchStatistics(pictures.view(i), pictures.partial(), pictures.blocks(), nullptr);
                          }});
#ifdef HAVE_CUB
    cuda::DeviceBuffer memory, cubCounts;
    cubCounts.reserve(sizeof(unsigned) * 4 * 65536);
    contenders.push_back({P::channels == 1 ? "cub" : "cub, without luminance", [&](int i) {
                              launchCub<P>(pictures.view(i), memory, static_cast<unsigned *>(cubCounts.data()));
                          }});
#endif
    for (std::size_t content = 0; content < contents.size(); ++content) {
        pictures.fill(int(content));
        const auto expected = pictures.expected<P>();
        for (std::size_t i = 0; i < checked; ++i)
            contenders[i].check = pictures.countsAre(expected, contenders[i].run) ? "right" : "WRONG";
        race(contenders);
        print(contents[content], contenders, floor);
    }
}

void compareFloats(int side, int channels, double readRate) {
    Pictures pictures(side, ScalarType::F32, channels);
    const double floor = double(pictures.bytes()) / readRate;
    std::printf("\nfloat, %d channel(s); one read: %.4f ms\n", channels, floor);
    std::vector<Contender> contenders;
    for (const float threshold : {largestValue<float>(), 0.5f})
        contenders.push_back({threshold < 1 ? "statistics, with a threshold" : "statistics", [&, threshold](int i) {
                                  cuda::launchStatistics(pictures.view(i), pictures.partial(), pictures.blocks(),
                                                         nullptr, threshold);
                              }});
    for (const int content : {0, 1, 3}) {
        pictures.fill(content);
        race(contenders);
        print(contents[std::size_t(content)], contenders, floor);
    }
}

// Bytes a millisecond of a device-to-device copy, read and written.
double copyRate() {
    constexpr std::size_t bytes = std::size_t(1) << 30;
    cuda::DeviceBuffer from, to;
    from.reserve(bytes);
    to.reserve(bytes);
    std::vector<Contender> copy{
        {"copy",
         [&](int) { TESSERA_CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice)); }}};
    race(copy);
    return 2.0 * double(bytes) / median(copy[0].times);
}

} // namespace

int main(int argc, char **argv) {
    const cuda::DeviceList list = cuda::findDevices();
    if (list.devices.empty()) {
        std::printf("skipped: no CUDA device (%s)\n", list.reason.c_str());
        return 0;
    }
    const int side = argc > 1 ? std::atoi(argv[1]) : 8192;
    if (side < 1 || side > 16384) {
        std::fprintf(stderr, "side: 1 to 16384\n");
        return 2;
    }
    try {
        const double rate = copyRate();
        std::printf("%s, %dx%d; medians of %d after %d warm-ups, cold; copy: %.0f GB/s read and written\n",
                    list.devices.front().name.c_str(), side, side, samples, warmUps, rate / 1e6);
        compareLevels<Pixel<std::uint8_t, 1>>(side, rate);
        compareLevels<Pixel<std::uint8_t, 4>>(side, rate);
        compareLevels<Pixel<std::uint16_t, 1>>(side, rate);
        compareFloats(side, 1, rate);
        compareFloats(side, 4, rate);
    } catch (const cuda::CudaError &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
