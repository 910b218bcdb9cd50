// Measures the CPU engine against OpenCV on the same cores, beside the machine's own limits: multiply-add peak and
// copy speed. Contenders take turns, so that a disturbance hits both; the table shows medians. On a busy machine
// --minimum shows the least times instead, and --cpu-time processor time with one thread each.
//
//   cpu_bench [--cpu-time] [--minimum] [--size N] [--rounds N] [float|bytes|gauss|large|statistics|small]...
#include "tests/bench/cpu_bench_support.h"

#include <cstdio>

using namespace tessera;
using namespace tessera::bench;

namespace {

double peakGflops() {
    // As many independent chains as the registers hold, through the engine's own kernels: a dense filter so large that
    // nothing but multiply-adds counts would measure itself, so this is a loop of its own.
    constexpr int lanes = 16, chains = 24;
    alignas(64) static float sums[chains][lanes];
    std::vector<double> best;
    for (int round = 0; round < 60; ++round) {
        constexpr int steps = 400'000;
        const double start = now();
        for (auto &chain : sums)
            for (float &value : chain)
                value = 1.0f;
#if defined(__GNUC__)
        typedef float Vector __attribute__((vector_size(64)));
        Vector v[chains];
        std::memcpy(v, sums, sizeof v);
        const Vector factor = Vector{} + 0.999f, summand = Vector{} + 0.001f;
        for (int i = 0; i < steps; ++i)
#pragma GCC unroll 24
            for (int c = 0; c < chains; ++c)
                v[c] = v[c] * factor + summand;
        std::memcpy(sums, v, sizeof v);
#endif
        best.push_back(2.0 * steps * chains * lanes / ((now() - start) * 1e6));
    }
    return *std::ranges::max_element(best) * pool().threads();
}

double copyGigabytes() {
    const std::size_t bytes = std::size_t(settings.size) * std::size_t(settings.size) * 4;
    std::vector<char> from(bytes, 1), to(bytes, 2);
    const std::size_t parts = pool().threads();
    const double ms = race({[&] {
        pool().parallelFor(parts, [&](std::size_t i) {
            std::memcpy(to.data() + bytes / parts * i, from.data() + bytes / parts * i, bytes / parts);
        });
    }})[0];
    return 2.0 * double(bytes) / (ms * 1e6);
}

void report(const std::string &what, double ours, double theirs, double gigaoperations, double gigabytes,
            const std::string &note) {
    std::printf("%-26s %9.3f ms %9.3f ms %6.2fx %8.1f GFLOP/s %6.1f GB/s  %s\n", what.c_str(), ours, theirs,
                theirs / ours, gigaoperations / ours * 1e3, gigabytes / ours * 1e3, note.c_str());
    std::fflush(stdout);
}

double peak = 0; // of all threads

void dense(const char *title, PixelFormat format, const std::vector<int> &sides) {
    double logarithms = 0;
    for (const int side : sides) {
        Work work(settings.size, settings.size, format, randomKernel(side));
        const auto times = race({[&] { work.cpu(); }, [&] { work.filter2D(); }});
        const double samples = double(settings.size) * settings.size * format.channels;
        report(std::string(title) + " K=" + std::to_string(side), times[0], times[1], samples * side * side * 2e-9,
               samples * bytesPerSample(format.depth) * 2e-9, work.note);
        logarithms += std::log(times[1] / times[0]);
        if (settings.size <= 512)
            std::printf("%28.1f us over the arithmetic at the peak\n",
                        times[0] * 1e3 - samples * side * side * 2e-3 / peak);
    }
    std::printf("%-26s geometric mean %.2fx\n", title, std::exp(logarithms / double(sides.size())));
}

void gauss(const char *title, PixelFormat format) {
    double sum = 0;
    const std::vector<double> sigmas{1, 1.5, 2, 3, 5, 7, 10};
    for (const double sigma : sigmas) {
        const int side = 2 * int(std::ceil(3 * sigma)) + 1;
        Work work(settings.size, settings.size, format, gaussianKernel(sigma, side));
        const auto times = race({[&] { work.cpu(); }, [&] { work.gaussianBlur(sigma); }});
        const double samples = double(settings.size) * settings.size * format.channels;
        report(std::string(title) + " sigma=" + std::to_string(sigma).substr(0, 4), times[0], times[1],
               samples * 2 * side * 2e-9, samples * bytesPerSample(format.depth) * 2e-9, work.note);
        sum += times[1] / times[0];
    }
    std::printf("%-26s mean %.2fx\n", title, sum / double(sigmas.size()));
}

// Smooth with a little noise, as photographs are: neighbours are alike and hit the same counters.
Image smoothImage(int width, int height) {
    Image image = randomImage(width, height, {Depth::U8, 3});
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < 3; ++c) {
                std::uint8_t &value = image.view().row<std::uint8_t>(y)[3 * x + c];
                value = std::uint8_t(120 + 80 * std::sin(x * 0.003 * (c + 1)) * std::cos(y * 0.004) + value % 8);
            }
    return image;
}

Image constantImage() {
    Image constant(settings.size, settings.size, {Depth::U8, 3});
    for (int y = 0; y < settings.size; ++y)
        std::memset(constant.view().row<std::uint8_t>(y), 77, std::size_t(settings.size) * 3);
    return constant;
}

// Both do what gives histogram, mean, deviation, minimum and maximum; ours adds the luminance's, percentiles, entropy.
void statistics(const char *title, Image image) {
    const cv::Mat mat = matOf(image);
    const auto theirs = [&] {
        const int bins = 256;
        const float range[] = {0, 256};
        const float *ranges = range;
        cv::Mat histogram;
        for (const int channel : {0, 1, 2})
            cv::calcHist(&mat, 1, &channel, cv::Mat(), histogram, 1, &bins, &ranges);
        cv::Scalar mean, deviation;
        cv::meanStdDev(mat, mean, deviation);
        double low, high;
        cv::minMaxLoc(mat.reshape(1), &low, &high);
    };
    const auto times = race({[&] { computeStatistics(std::as_const(image).view()); }, theirs});
    report(title, times[0], times[1], 0, double(image.width()) * image.height() * 3e-9, "");
}

// A 5x5 with the statistics of its result, against itself without and against both one after the other.
void fused(const char *title, Image source) {
    Work work(settings.size, settings.size, {Depth::U8, 3}, randomKernel(5));
    work.source = std::move(source);
    const auto times = race({[&] { work.cpu(); },
                             [&] {
                                 LevelCounts counts;
                                 work.cpu(&counts);
                                 counts.statistics();
                             },
                             [&] {
                                 work.cpu();
                                 computeStatistics(std::as_const(work.target).view());
                             }});
    std::printf("5x5, 8-bit C3, %s: %.3f ms, with statistics %.3f ms (+%.0f %%), one after the other %.3f ms\n", title,
                times[0], times[1], (times[1] / times[0] - 1) * 100, times[2]);
}

bool wants(const char *part) { return settings.parts.empty() || settings.parts.contains(part); }

} // namespace

int main(int argc, char **argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--cpu-time")
            settings.cpuTime = true;
        else if (word == "--minimum")
            settings.minimum = true;
        else if (word == "--size" && i + 1 < argc)
            settings.size = std::atoi(argv[++i]);
        else if (word == "--rounds" && i + 1 < argc)
            settings.rounds = std::atoi(argv[++i]);
        else
            settings.parts.insert(word);
    }
    if (settings.cpuTime)
        cv::setNumThreads(1);
    std::printf("%s, %u threads, %s; %dx%d\n", makeCpuEngine()->deviceName().c_str(), pool().threads(),
                cpuInstructionSets().front().c_str(), settings.size, settings.size);
    peak = peakGflops();
    std::printf("multiply-add peak %.0f GFLOP/s, copy %.1f GB/s\n", peak, copyGigabytes());
    std::printf("%-26s %12s %12s\n", "", "cpu", "OpenCV");
    const std::vector<int> sides{3, 5, 7, 9, 11, 15, 21, 31};
    if (wants("float"))
        dense("float32 C1", {Depth::F32, 1}, sides);
    if (wants("bytes"))
        dense("8-bit C3", {Depth::U8, 3}, sides);
    if (wants("gauss")) {
        gauss("gauss float32 C1", {Depth::F32, 1});
        gauss("gauss 8-bit C3", {Depth::U8, 3});
    }
    if (wants("large"))
        dense("float32 C1", {Depth::F32, 1}, {63, 127});
    if (wants("statistics")) {
        statistics("statistics, uniform", randomImage(settings.size, settings.size, {Depth::U8, 3}));
        statistics("statistics, smooth", smoothImage(settings.size, settings.size));
        statistics("statistics, constant", constantImage());
        fused("uniform", randomImage(settings.size, settings.size, {Depth::U8, 3}));
        fused("smooth", smoothImage(settings.size, settings.size));
        fused("constant", constantImage());
    }
    if (wants("small")) {
        settings.size = 256;
        settings.row = 16; // threads of the one still look about for work when the other's turn begins
        dense("256x256 float32 C1", {Depth::F32, 1}, {3, 5, 7});
        dense("256x256 8-bit C3", {Depth::U8, 3}, {3, 5, 7});
    }
}
