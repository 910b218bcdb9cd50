// What the CPU benchmark measures with: the clock, contenders that take turns, pictures and kernels, and one
// convolution by the engine and by OpenCV.
#pragma once

#include "app/engines/cpu/cpu_engine.h"
#include "app/image/image.h"
#include "app/stats/statistics.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace tessera::bench {

struct Settings {
    bool cpuTime = false;
    int size = 4096;
    bool minimum = false;
    int rounds = 9;
    int row = 1; // calls of a turn; the first of several counts with no one
    std::set<std::string> parts;
};
inline Settings settings;

inline double now() {
    if (settings.cpuTime) {
        timespec time{};
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
        return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
    }
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The median, or the minimum where that was asked for.
inline double typical(std::vector<double> values) {
    std::ranges::sort(values);
    return values[settings.minimum ? 0 : values.size() / 2];
}

// Times of contenders that take turns, the first round being a warm-up.
inline std::vector<double> race(const std::vector<std::function<void()>> &contenders) {
    std::vector<std::vector<double>> times(contenders.size());
    for (int round = 0; round <= settings.rounds; ++round) {
        for (std::size_t i = 0; i < contenders.size(); ++i)
            for (int call = 0; call < settings.row; ++call) {
                const double start = now();
                contenders[i]();
                if (round > 0 && (call > 0 || settings.row == 1))
                    times[i].push_back(now() - start);
            }
    }
    std::vector<double> result;
    for (const auto &of : times)
        result.push_back(typical(of));
    return result;
}

inline ThreadPool &pool() {
    static ThreadPool one(1);
    return settings.cpuTime ? one : ThreadPool::shared();
}

inline Image randomImage(int width, int height, PixelFormat format) {
    Image image(width, height, format);
    std::mt19937 random(1);
    for (int y = 0; y < height; ++y) {
        if (format.depth == Depth::F32)
            for (int i = 0; i < width * format.channels; ++i)
                image.view().row<float>(y)[i] = float(random() >> 8) / float(1 << 24);
        else
            for (int i = 0; i < width * format.channels; ++i)
                image.view().row<std::uint8_t>(y)[i] = std::uint8_t(random() >> 9);
    }
    return image;
}

inline cv::Mat matOf(Image &image) {
    const int depth = image.format().depth == Depth::F32 ? CV_32F : CV_8U;
    return {image.height(), image.width(), CV_MAKETYPE(depth, image.format().channels), image.view().data,
            std::size_t(image.pitch())};
}

inline ConvolutionKernel randomKernel(int side) {
    ConvolutionKernel kernel;
    kernel.width = kernel.height = side;
    kernel.anchorX = kernel.anchorY = side / 2;
    kernel.taps.resize(std::size_t(side * side));
    std::mt19937 random(2);
    double sum = 0;
    for (double &tap : kernel.taps)
        sum += tap = double(random()) / double(std::mt19937::max()) - 0.2;
    kernel.divisor = sum;
    return kernel;
}

inline ConvolutionKernel gaussianKernel(double sigma, int side) {
    ConvolutionKernel kernel = randomKernel(side);
    double sum = 0;
    for (int v = 0; v < side; ++v)
        for (int u = 0; u < side; ++u) {
            const double x = u - side / 2, y = v - side / 2;
            sum += kernel.at(u, v) = std::exp(-(x * x + y * y) / (2 * sigma * sigma));
        }
    kernel.divisor = sum;
    return kernel;
}

struct Work {
    Image source, target, other;
    ConvolutionKernel kernel;
    std::shared_ptr<Engine> engine = makeCpuEngine(pool());
    std::string note;

    Work(int width, int height, PixelFormat format, ConvolutionKernel taps)
        : source(randomImage(width, height, format)), target(width, height, format), other(width, height, format),
          kernel(std::move(taps)) {}

    void cpu(LevelCounts *counts = nullptr) {
        ConvolutionJob job;
        job.source = std::as_const(source).view();
        job.target = target.view();
        job.region = job.source.bounds();
        job.kernel = &kernel;
        job.counts = counts;
        job.finish.divisor = float(*kernel.divisor);
        note = engine->convolve(job, {}).note;
    }
    // At its best: straight to the target's depth, the divisor folded into the taps.
    void filter2D() {
        cv::Mat taps(kernel.height, kernel.width, CV_32F);
        for (int v = 0; v < kernel.height; ++v)
            for (int u = 0; u < kernel.width; ++u)
                taps.at<float>(v, u) = float(kernel.at(u, v) / *kernel.divisor);
        cv::Mat result = matOf(other);
        cv::filter2D(matOf(source), result, -1, taps, {-1, -1}, 0, cv::BORDER_REPLICATE);
    }
    void gaussianBlur(double sigma) {
        cv::Mat result = matOf(other);
        cv::GaussianBlur(matOf(source), result, {kernel.width, kernel.height}, sigma, sigma, cv::BORDER_REPLICATE);
    }
};

} // namespace tessera::bench
