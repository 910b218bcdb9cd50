// From the options of `tessera bench` to a plan.
#include "app/bench/bench_run.h"
#include "app/bench/system_memory.h"
#include "app/commands/bench_options.h"
#include "app/commands/text.h"
#include "app/engines/kernel_variants.h"
#include "app/image/image_io.h"
#include "app/session/step_plan.h"

#include <algorithm>
#include <random>

namespace tessera {

namespace {

// Sources and targets of the fewest sets, the check's two results and its source.
void checkMemory(const bench::BenchPlan &plan) {
    constexpr double copies = 8;
    const double free = double(bench::freeHostMemory());
    const auto check = [&](const std::vector<std::pair<int, int>> &sizes, const std::vector<PixelKind> &pixels) {
        for (const auto &[width, height] : sizes)
            for (const PixelKind &pixel : pixels)
                if (const double bytes = copies * width * height * pixel.bytes(); bytes > free)
                    throw Error(ErrorKind::Limit,
                                "measuring " + std::to_string(width) + "x" + std::to_string(height) + " " +
                                    std::string(pixel.name) + " takes about " + binarySize(std::uint64_t(bytes)) +
                                    " of memory, and " + binarySize(std::uint64_t(free)) + " are free",
                                "choose a smaller --size");
    };
    for (const bench::ConvolutionPart &part : plan.convolutions)
        check(part.sizes, part.pixels);
    for (const bench::StatisticsPart &part : plan.statistics)
        check(part.sizes, part.pixels);
}

std::uint64_t freshSeed() { return std::random_device{}() % 1'000'000'000; }

} // namespace

void BenchOptions::refuseContradictions() const {
    const auto refuse = [](const std::string &a, const std::string &b, const std::string &remedy) {
        throw Error(ErrorKind::Usage, a + " and " + b + " contradict each other", remedy);
    };
    if (suite_ == "cpu" && device_ != "auto" && device_ != "cpu")
        refuse("--suite cpu", "--device " + device_, "leave one of the two out");
    if (!suite_.empty()) {
        const std::string remedy = "a suite fixes them; leave one of the two out";
        if (image_)
            refuse("--suite", "--image", remedy);
        if (!kernelSizes_.empty())
            refuse("--suite", "--kernel-sizes", remedy);
        if (filterGiven_)
            refuse("--suite", "--filter and --kernel", remedy);
    }
    if (image_ && !sizes_.empty())
        refuse("--image", "--size", "the picture's size is what is measured");
    if (filterGiven_ && !kernelSizes_.empty())
        refuse("--kernel-sizes", "--filter and --kernel", "give sizes of random kernels or one kernel");
    if (placement_ && !filterGiven_)
        throw Error(ErrorKind::Usage, *placement_ + " needs a kernel of your own",
                    "random kernels have their origin in the middle; give --filter or --kernel");
}

template <class Part> void BenchOptions::narrow(Part &part) const {
    part.sizes = sizes_.empty() ? part.sizes : sizes_;
    part.pixels = pixels_.empty() ? part.pixels : pixels_;
    part.scopes = scopes_.empty() ? part.scopes : scopes_;
    part.caches = caches_.empty() ? part.caches : caches_;
}

std::vector<bench::KernelChoice> BenchOptions::kernels(Console &console) const {
    std::vector<bench::KernelChoice> choices;
    if (!filterGiven_) {
        const std::vector<std::pair<int, int>> usual{{3, 3}, {5, 5}, {7, 7}, {9, 9}, {15, 15}};
        for (const auto &[width, height] : kernelSizes_.empty() ? usual : kernelSizes_)
            choices.push_back({"random", width, height, {}, -1, -1});
        return choices;
    }
    const std::vector<FilterStep> steps = filters_.steps();
    if (steps.size() != 1)
        throw Error(ErrorKind::Usage, "bench takes one filter, not a chain", "give --filter or --kernel once");
    const std::vector<ConvolutionKernel> all = planStep(steps.front(), {Depth::F32, 1}, true).kernels;
    if (all.size() > 1)
        console.info("filter " + steps.front().filter.name + " runs " + std::to_string(all.size()) +
                     " kernels; the first is measured");
    choices.push_back(bench::KernelChoice::of(all.front(), filters_.chainName()));
    return choices;
}

void BenchOptions::takePicture(bench::ConvolutionPart &part, bench::BenchPlan &plan, bool gpu) const {
    const Image image = loadImage(*image_);
    const PixelFormat format = image.format();
    PixelKind pixel = pixelKindOf(scalarTypeOf(format.depth), format.channels);
    if (!gpu && format == PixelFormat{Depth::U8, 3})
        pixel = *bench::findBenchPixelKind("rgb8");
    if (pixels_.size() > 1)
        throw Error(ErrorKind::Usage, "--image takes one kind of --pixel", "run the others one by one");
    if (!pixels_.empty())
        pixel = pixels_.front();
    part.sizes = {{image.width(), image.height()}};
    part.pixels = {pixel};
    plan.picture = std::make_shared<bench::PixelBlock>(bench::blockOf(image.view(), pixel));
}

void BenchOptions::takeWork(bench::BenchPlan &plan, bool gpu, Console &console) const {
    bench::ConvolutionPart part;
    part.kernels = kernels(console);
    part.sizes = sizes_;
    part.pixels = pixels_;
    if (image_)
        takePicture(part, plan, gpu);
    if (part.sizes.empty())
        part.sizes = {gpu ? std::pair{4096, 4096} : std::pair{2048, 2048}};
    if (part.pixels.empty())
        part.pixels = {*bench::findBenchPixelKind("f32")};
    part.scopes = bench::defaultScopes(gpu);
    part.caches = {bench::CacheState::Cold, bench::CacheState::Hot};
    plan.convolutions = {std::move(part)};
}

bench::BenchPlan BenchOptions::plan(Console &console) const {
    refuseContradictions();
    bench::BenchPlan plan;
    plan.version = TESSERA_VERSION;
    plan.device = device_;
    plan.variants = variants_;
    plan.peers = peers_;
    plan.seed = seed_.value_or(freshSeed());
    if (border_)
        plan.border = *border_;
    if (samples_)
        plan.protocol.rule.samples = *samples_;
    if (budgetSeconds_)
        plan.protocol.rule.budgetMs = 1e3 * *budgetSeconds_;
    const bool gpu = bench::usesGpu(device_) && suite_ != "cpu";
    if (suite_.empty())
        takeWork(plan, gpu, console);
    else
        bench::applySuite(plan, suite_, gpu);
    for (bench::ConvolutionPart &part : plan.convolutions)
        narrow(part);
    for (bench::StatisticsPart &part : plan.statistics)
        narrow(part);
    if (!gpu && std::ranges::find(scopes_, bench::Scope::Kernel) != scopes_.end())
        throw Error(ErrorKind::Usage, "--scope kernel needs a CUDA device: on the CPU a call is the work itself",
                    "leave it out, or use --scope call");
    bench::checkPlan(plan);
    checkMemory(plan);
    return plan;
}

} // namespace tessera
