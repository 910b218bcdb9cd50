// Times of the lessons, the histograms and the statistics: medians of CUDA events' times, warm-ups first, contenders of
// a group in turns. Every result is checked before it is timed. The share is that of a device-to-device copy, measured
// in the same run, counting the bytes that any implementation must move.
//
// usage: ladder_bench [elements, default 67108864]
#include "gpu/device/properties.h"
#include "gpu/kernels/histogram.h"
#include "gpu/launch/cuda_launcher.cuh"
#include "gpu/launch/cuda_launcher.h"
#include "gpu/launch/lesson_reference.h"
#include "gpu/launch/lessons.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace tessera;

namespace {

constexpr int warmUps = 20;
constexpr int samples = 100;

struct Times {
    double median = 0, low = 0, high = 0; // milliseconds; 5th and 95th percentile
};

Times timesOf(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) { return values[std::size_t(share * double(values.size() - 1) + 0.5)]; };
    return {at(0.5), at(0.05), at(0.95)};
}

// Runs the contenders in turns.
std::vector<Times> measure(const std::vector<std::function<void(cuda::StreamView)>> &contenders) {
    cuda::Stream stream;
    cuda::Event start, end;
    std::vector<std::vector<double>> values(contenders.size());
    for (int i = 0; i < warmUps + samples; ++i)
        for (std::size_t c = 0; c < contenders.size(); ++c) {
            start.record(stream.view());
            contenders[c](stream.view());
            end.record(stream.view());
            stream.synchronize();
            if (i >= warmUps)
                values[c].push_back(end.millisecondsSince(start));
        }
    std::vector<Times> times;
    for (auto &one : values)
        times.push_back(timesOf(std::move(one)));
    return times;
}

void printRow(const std::string &name, const Times &times, double bytes, double copyRate, double first,
              const char *check) {
    const double rate = bytes / times.median / 1e6;
    std::printf("%-26s %9.4f %9.4f %9.4f %9.0f %7.1f %% %8.2f   %s\n", name.c_str(), times.median, times.low,
                times.high, rate, 100 * rate / copyRate, first / times.median, check);
}

void printHead(const std::string &title) {
    std::printf("\n%-26s %9s %9s %9s %9s %9s %8s\n", title.c_str(), "median ms", "5 %", "95 %", "GB/s", "of copy",
                "speed-up");
}

// Bytes read and written a millisecond, in GB/s.
double copyRate(void *target, const void *source, std::size_t bytes) {
    const auto copy = [&](cuda::StreamView stream) {
        TESSERA_CUDA_CHECK(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, stream));
    };
    return 2.0 * double(bytes) / measure({copy})[0].median / 1e6;
}

class Lessons {
public:
    Lessons(std::int64_t floats, const DeviceLimits &limits) : floats_(floats), limits_(limits) {
        std::mt19937 random(71);
        std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
        host_.resize(std::size_t(floats));
        for (float &value : host_)
            value = uniform(random);
        for (cuda::DeviceBuffer *buffer : {&first_, &second_})
            TESSERA_CUDA_CHECK(cudaMemcpy(buffer->reserve(bytes()), host_.data(), bytes(), cudaMemcpyHostToDevice));
        target_.reserve(bytes());
        std::size_t workspace = 0; // at once: a buffer that grows would leave earlier contenders without theirs
        for (const LessonInfo &info : lessonList())
            workspace = std::max(workspace, lessonWorkspaceBytes(info, floats, limits));
        workspace_.reserve(workspace);
    }

    std::size_t bytes() const { return std::size_t(floats_) * sizeof(float); }
    double copy() { return copyRate(target_.data(), first_.data(), bytes()); }

    void compareGroup(LessonGroup group, double rate) {
        std::vector<const cuda::CudaLesson *> lessons;
        std::vector<std::function<void(cuda::StreamView)>> contenders;
        std::vector<const char *> checks;
        const std::int64_t count = floats_ / lessonFirstFloats(group, 1);
        for (const cuda::CudaLesson &lesson : cuda::lessons()) {
            if (lesson.info->group != group)
                continue;
            const LessonOperands operands = operandsFor(*lesson.info, count);
            lessons.push_back(&lesson);
            checks.push_back(isRight(lesson, operands) ? "right" : "WRONG");
            contenders.push_back([&lesson, operands](cuda::StreamView stream) { lesson.launch(operands, stream); });
        }
        const std::vector<Times> times = measure(contenders);
        printHead(std::string(lessonGroupTitle(group)));
        for (std::size_t i = 0; i < lessons.size(); ++i)
            printRow(std::string(lessons[i]->info->name), times[i], double(lessonCost(group, count).bytes), rate,
                     times[0].median, checks[i]);
    }

private:
    LessonOperands operandsFor(const LessonInfo &info, std::int64_t count) const {
        LessonOperands operands;
        operands.first = static_cast<const float *>(first_.data());
        operands.second = static_cast<const float *>(second_.data());
        operands.target = target_.data();
        operands.workspace = static_cast<float *>(workspace_.data());
        operands.count = count;
        operands.parameter = info.group == LessonGroup::CountAbove ? 0.25f : 1.5f;
        operands.field = info.group == LessonGroup::RecordField ? 2 : 0;
        operands.limits = limits_;
        return operands;
    }

    bool isRight(const cuda::CudaLesson &lesson, const LessonOperands &onDevice) {
        const std::size_t size = lessonTargetBytes(lesson.info->group, onDevice.count);
        TESSERA_CUDA_CHECK(cudaMemset(target_.data(), 0xff, size)); // poison
        lesson.launch(onDevice, nullptr);
        std::vector<unsigned long long> result((size + 7) / 8);
        TESSERA_CUDA_CHECK(cudaMemcpy(result.data(), target_.data(), size, cudaMemcpyDeviceToHost));
        LessonOperands onHost = onDevice;
        onHost.first = onHost.second = host_.data();
        onHost.target = result.data();
        const LessonExpectation expected = lessonExpectation(*lesson.info, onHost);
        return lessonError(*lesson.info, onHost, expected) <= expected.tolerance;
    }

    std::int64_t floats_;
    DeviceLimits limits_;
    std::vector<float> host_;
    cuda::DeviceBuffer first_, second_, target_, workspace_;
};

// ---- histograms and statistics ----

enum class Content { Random, Smooth, Constant };
constexpr const char *contentNames[] = {"random", "smooth", "constant"};

// Smooth: levels that change every 20 columns or so, as in a sky.
template <class T, int N> std::vector<Pixel<T, N>> pictureOf(Content content, int size) {
    std::vector<Pixel<T, N>> picture(std::size_t(size) * std::size_t(size));
    std::mt19937 random(72);
    for (std::size_t i = 0; i < picture.size(); ++i)
        for (int c = 0; c < N; ++c)
            picture[i].channel[c] = content == Content::Random ? T(random())
                                    : content == Content::Smooth
                                        ? T(i % std::size_t(size) / 20 + i / std::size_t(size) / 20)
                                        : T(200);
    return picture;
}

template <class T, int N> class Histograms {
public:
    Histograms(Content content, int size, int blocks)
        : size_(size), blocks_(blocks), host_(pictureOf<T, N>(content, size)) {
        const std::size_t bytes = host_.size() * sizeof(host_[0]);
        TESSERA_CUDA_CHECK(cudaMemcpy(picture_.reserve(bytes), host_.data(), bytes, cudaMemcpyHostToDevice));
        counts_.reserve(countBytes());
    }

    void compare(const char *content, double rate) {
        const std::vector<Times> times =
            measure({[this](cuda::StreamView stream) { launch<HistogramCounting::Lanes>(stream); },
                     [this](cuda::StreamView stream) { launch<HistogramCounting::Runs>(stream); }});
        const std::string name = std::to_string(8 * sizeof(T)) + " bit x" + std::to_string(N) + " " + content;
        const double bytes = double(host_.size() * sizeof(host_[0]));
        printRow(name + " lanes", times[0], bytes, rate, times[0].median, right<HistogramCounting::Lanes>());
        printRow(name + " runs", times[1], bytes, rate, times[0].median, right<HistogramCounting::Runs>());
    }

private:
    using P = Pixel<T, N>;
    static constexpr int threads = 256;

    static std::size_t countBytes() { return sizeof(unsigned long long) * Histogram<P>::bins * Histogram<P>::rows; }

    template <HistogramCounting counting> void launch(cuda::StreamView stream) {
        using Kernel = Histogram<P, counting>;
        LaunchPlan plan;
        plan.grid = {blocks_, 1};
        plan.block = {threads, 1};
        plan.sharedBytes = Kernel::sharedBytes(threads);
        cuda::CudaLauncher(stream).launch(
            plan,
            Kernel{{static_cast<const P *>(picture_.data()), size_, size_, std::ptrdiff_t(sizeof(P)) * size_},
                   {static_cast<unsigned long long *>(counts_.data()), Kernel::bins, Kernel::rows, 8 * Kernel::bins}});
    }

    template <HistogramCounting counting> const char *right() {
        TESSERA_CUDA_CHECK(cudaMemset(counts_.data(), 0, countBytes()));
        launch<counting>(nullptr);
        std::vector<unsigned long long> counted(countBytes() / 8), expected(counted.size(), 0);
        TESSERA_CUDA_CHECK(cudaMemcpy(counted.data(), counts_.data(), countBytes(), cudaMemcpyDeviceToHost));
        for (const P &pixel : host_) {
            for (int c = 0; c < N; ++c)
                ++expected[std::size_t(c) * Histogram<P>::bins + pixel.channel[c]];
            if constexpr (N == 4)
                ++expected[4 * std::size_t(Histogram<P>::bins) + luminanceLevel(pixel)];
        }
        return counted == expected ? "right" : "WRONG";
    }

    int size_, blocks_;
    std::vector<P> host_;
    cuda::DeviceBuffer picture_, counts_;
};

template <class T, int N> void compareHistograms(int size, int blocks, double rate) {
    for (const Content content : {Content::Random, Content::Smooth, Content::Constant})
        Histograms<T, N>(content, size, blocks).compare(contentNames[int(content)], rate);
}

void timeStatistics(ScalarType type, int channels, int size, int blocks, double rate) {
    const std::ptrdiff_t pitch = std::ptrdiff_t(scalarBytes(type)) * channels * size;
    const std::size_t bytes = std::size_t(pitch) * std::size_t(size);
    cuda::DeviceBuffer picture, partial;
    TESSERA_CUDA_CHECK(cudaMemset(picture.reserve(bytes), 0x3d, bytes));
    partial.reserve(cuda::statisticsBytes(type, channels, blocks));
    const RawView view{picture.data(), size, size, pitch, type, channels};
    const Times times = measure(
        {[&](cuda::StreamView stream) { cuda::launchStatistics(view, partial.data(), blocks, stream, 0.5f); }})[0];
    const std::string name = std::to_string(8 * scalarBytes(type)) + " bit x" + std::to_string(channels);
    printRow("statistics " + name, times, double(bytes), rate, times.median, "(see device_test)");
}

void comparePictures(const cuda::DeviceProperties &device, double rate) {
    constexpr int size = 8192;
    const int blocks = 8 * device.multiprocessors;
    printHead("Histograms, 8192x8192");
    compareHistograms<std::uint8_t, 1>(size, blocks, rate);
    compareHistograms<std::uint8_t, 4>(size, blocks, rate);
    compareHistograms<std::uint16_t, 1>(size, blocks, rate);
    printHead("Statistics, 8192x8192");
    for (const ScalarType type : {ScalarType::U8, ScalarType::U16, ScalarType::F32})
        for (const int channels : {1, 4})
            timeStatistics(type, channels, size, blocks, rate);
}

} // namespace

int main(int argc, char **argv) {
    const cuda::DeviceList list = cuda::findDevices();
    if (list.devices.empty()) {
        std::printf("skipped: no CUDA device (%s)\n", list.reason.c_str());
        return 0;
    }
    const std::int64_t floats = argc > 1 ? std::atoll(argv[1]) : std::int64_t(1) << 26;
    if (floats < 8 || floats > maximumLessonCount) {
        std::fprintf(stderr, "elements: 8 to %lld\n", static_cast<long long>(maximumLessonCount));
        return 2;
    }
    try {
        const cuda::DeviceProperties &device = list.devices.front();
        double rate = 0;
        {
            Lessons lessons(floats, device.limits);
            rate = lessons.copy();
            std::printf("%s, %lld floats; medians of %d after %d warm-ups; copy: %.0f GB/s read and written\n",
                        device.name.c_str(), static_cast<long long>(floats), samples, warmUps, rate);
            for (const LessonInfo &info : lessonList())
                if (info.step == 0)
                    lessons.compareGroup(info.group, rate);
        }
        comparePictures(device, rate);
    } catch (const cuda::CudaError &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
