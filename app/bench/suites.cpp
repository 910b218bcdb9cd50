#include "app/bench/bench_plan.h"
#include "app/bench/statistics_workload.h"

#include <cmath>

namespace tessera::bench {

namespace {

struct SuiteInfo {
    std::string name;
    std::string_view description;
    void (*apply)(BenchPlan &plan, bool gpu);
};

using Sizes = std::vector<std::pair<int, int>>;

const std::vector<int> denseSides{3, 5, 7, 9, 11, 15, 21, 31};

std::vector<KernelChoice> randomKernels(const std::vector<int> &sides) {
    std::vector<KernelChoice> kernels;
    for (const int side : sides)
        kernels.push_back(KernelChoice::random(side));
    return kernels;
}

std::vector<PixelKind> kinds(std::initializer_list<std::string_view> names) {
    std::vector<PixelKind> pixels;
    for (const std::string_view name : names)
        pixels.push_back(*findBenchPixelKind(name));
    return pixels;
}

Sizes wholeSize(bool gpu) { return {gpu ? std::pair{8192, 8192} : std::pair{4096, 4096}}; }
std::vector<Scope> scopes(bool gpu) { return {gpu ? Scope::Kernel : Scope::Call}; }
const std::vector<CacheState> cold{CacheState::Cold}, both{CacheState::Cold, CacheState::Hot};

void gpuSuite(BenchPlan &plan, bool) {
    plan.gpuOnly = true;
    const Sizes sizes = wholeSize(true);
    plan.convolutions = {
        {sizes, randomKernels(denseSides), kinds({"f32", "f16", "u8"}), scopes(true), cold},
        {sizes, randomKernels({3, 5, 7, 15, 31}), kinds({"rgba8"}), scopes(true), cold},
        {sizes, randomKernels({3, 5, 7}), kinds({"rgba32f"}), scopes(true), cold},
    };
}

void cpuSuite(BenchPlan &plan, bool) {
    plan.device = "cpu";
    plan.convolutions = {{{{4096, 4096}}, randomKernels(denseSides), kinds({"f32", "rgb8"}), {Scope::Call}, cold}};
}

void smallSuite(BenchPlan &plan, bool gpu) {
    std::vector<Scope> wanted{Scope::Call};
    if (gpu)
        wanted.insert(wanted.begin(), Scope::Kernel);
    plan.convolutions = {
        {{{256, 256}, {512, 512}, {1920, 1080}}, randomKernels({3, 5, 7}), kinds({"f32", "u8"}), wanted, both}};
    if (!gpu)
        plan.convolutions.push_back({{{256, 256}}, randomKernels({3, 5, 7}), kinds({"rgb8"}), wanted, both});
}

void separableSuite(BenchPlan &plan, bool gpu) {
    ConvolutionPart part{wholeSize(gpu), {}, kinds({"f32", "u8"}), scopes(gpu), cold};
    if (!gpu)
        part.pixels.push_back(*findBenchPixelKind("rgb8"));
    for (const int side : {3, 5, 7, 9, 11, 15, 21, 31})
        part.kernels.push_back(KernelChoice::gaussian(side));
    plan.convolutions = {std::move(part)};
}

void largeSuite(BenchPlan &plan, bool gpu) {
    plan.convolutions = {{wholeSize(gpu), randomKernels({31, 63, 127}), kinds({"f32"}), scopes(gpu), cold}};
}

void histogramSuite(BenchPlan &plan, bool gpu) {
    StatisticsPart part{wholeSize(gpu), kinds({"u8"}), distributionNames(), scopes(gpu), cold};
    part.pixels.push_back(*findBenchPixelKind(gpu ? "rgba8" : "rgb8"));
    plan.statistics = {std::move(part)};
    if (gpu)
        plan.convolutions = {{wholeSize(gpu), randomKernels({3, 5, 7}), kinds({"f32"}), scopes(gpu), cold, true},
                             {wholeSize(gpu), randomKernels({5}), kinds({"u8"}), scopes(gpu), cold, true}};
}

const std::vector<SuiteInfo> &suites() {
    static const std::vector<SuiteInfo> all{
        {"gpu", "dense kernels of 3 to 31 on 8192x8192 in every pixel type, kernels alone; needs a CUDA device",
         gpuSuite},
        {"cpu", "dense kernels of 3 to 31 on 4096x4096, float and 8-bit RGB, on the CPU", cpuSuite},
        {"small", "256x256, 512x512 and 1920x1080, where launching costs more than filtering", smallSuite},
        {"histogram", "statistics and histogram of 8-bit pictures of every kind of distribution", histogramSuite},
        {"separable", "Gaussians of 3 to 31", separableSuite},
        {"large", "dense kernels of 31, 63 and 127", largeSuite},
    };
    return all;
}

} // namespace

KernelChoice KernelChoice::gaussian(int side) {
    const double sigma = side / 6.0;
    std::vector<double> row;
    double sum = 0;
    for (int i = 0; i < side; ++i)
        sum += row.emplace_back(std::exp(-0.5 * std::pow((i - side / 2) / sigma, 2)));
    KernelChoice choice{"gaussian", side, side, {}, -1, -1};
    for (int v = 0; v < side; ++v)
        for (int u = 0; u < side; ++u)
            choice.taps.push_back(row[std::size_t(v)] * row[std::size_t(u)] / (sum * sum));
    return choice;
}

ConvolutionKernel KernelChoice::kernel() const {
    ConvolutionKernel made = ConvolutionKernel::centred(width, height, taps, name);
    made.divisor = 1.0;
    if (anchorX >= 0)
        made.anchorX = anchorX;
    if (anchorY >= 0)
        made.anchorY = anchorY;
    return made;
}

KernelChoice KernelChoice::of(const ConvolutionKernel &kernel, std::string name) {
    KernelChoice choice{std::move(name), kernel.width, kernel.height, kernel.taps, kernel.anchorX, kernel.anchorY};
    for (double &tap : choice.taps)
        tap /= kernel.effectiveDivisor();
    return choice;
}

const std::vector<std::string> &suiteNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const SuiteInfo &suite : suites())
            all.push_back(suite.name);
        return all;
    }();
    return names;
}

std::string_view suiteDescription(std::string_view suite) {
    for (const SuiteInfo &info : suites())
        if (info.name == suite)
            return info.description;
    return {};
}

void applySuite(BenchPlan &plan, std::string_view suite, bool gpu) {
    for (const SuiteInfo &info : suites())
        if (info.name == suite) {
            plan.suite = suite;
            info.apply(plan, gpu);
        }
}

std::vector<Scope> defaultScopes(bool gpu) {
    return gpu ? std::vector{Scope::Kernel, Scope::Call, Scope::EndToEnd} : std::vector{Scope::Call};
}

} // namespace tessera::bench
