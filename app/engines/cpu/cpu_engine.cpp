#include "app/engines/cpu/cpu_engine.h"

#include "app/engines/cpu/fourier_tile.h"
#include "app/engines/cpu/prepared_kernel.h"
#include "app/engines/cpu/tile.h"
#include "app/engines/engine_support.h"

#include <algorithm>
#include <chrono>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

// Below this, waking another thread costs more than it saves.
constexpr double leastParallelWork = 4e6; // samples times their cost

class CpuEngine final : public Engine {
public:
    CpuEngine(ThreadPool &pool, const cpu::SimdKernels &simd, const cpu::MethodCosts &costs = {})
        : pool_(pool), simd_(simd), costs_(costs) {}

    std::string_view name() const override { return "cpu"; }
    DeviceKind deviceKind() const override { return DeviceKind::Cpu; }
    std::string deviceId() const override { return "cpu"; }
    std::string deviceName() const override { return processorName(); }
    std::vector<VariantInfo> variants() const override {
        return {
            {"cpu", "CPU, SIMD on all cores",
             "Every source row walked once for several output rows held in registers; separable filters in passes"}};
    }
    std::string refusal(const ConvolutionJob &job) const override {
        return job.variant.empty() || job.variant == "cpu" ? ""
                                                           : "cpu has no variant '" + std::string(job.variant) + "'";
    }

    int workingCopies() const override { return 0; } // tiles alone
    Rectangle computedArea(const ConvolutionJob &job) const override {
        const cpu::ConvolutionPlan plan = planOf(job);
        return plan.method == cpu::Method::Fourier ? cpu::fourierArea(job, plan) : job.region;
    }

    bool countsLevels(const ConvolutionJob &job) const override {
        return job.counts != nullptr && job.target.format.depth != Depth::F32;
    }

    RunTimes convolve(const ConvolutionJob &job, const RunControl &control) override {
        const Clock::time_point start = Clock::now();
        checkJob(job);
        if (const std::string reason = refusal(job); !reason.empty())
            throw Error(ErrorKind::Usage, reason);
        const cpu::ConvolutionPlan plan = planOf(job);
        const double scale = sumScale(job);
        cpu::PreparedKernel kernel = cpu::prepareKernel(*job.kernel, plan, job.source.format.channels, simd_, scale);
        kernel.finish = cpu::sampleFinish(job.finish, *job.kernel, job.target.format.depth);
        kernel.finish.mayBeNaN = job.source.format.depth == Depth::F32;
        const double factor = double(kernel.finish.factor);
        kernel.finish.factor = float(kernel.finish.divides ? factor * scale : factor / scale);
        const double work = double(job.region.width) * job.region.height * job.source.format.channels * plan.cost;
        const bool parallel = work > leastParallelWork;
        const bool fourier = plan.method == cpu::Method::Fourier;
        const std::vector<Rectangle> tiles =
            fourier ? fourierPairsOf(job, kernel) : tilesOf(job, kernel, simd_, parallel ? pool_.threads() : 1);
        SharedProgress progress(control, tiles.size());
        const auto convolveOne = [&](std::size_t index) {
            Rectangle done = tiles[index];
            if (fourier)
                done = convolveFourierPair(job, kernel, simd_, done, control);
            else
                convolveTile(job, kernel, simd_, done, control);
            if (countsLevels(job))
                job.counts->count(job.target.part(done)); // while it is in the cache
            progress.finishPart();
        };
        if (parallel)
            pool_.parallelFor(tiles.size(), convolveOne);
        else
            for (std::size_t index = 0; index < tiles.size(); ++index)
                convolveOne(index);
        RunTimes times;
        times.totalMs = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
        times.kernelMs = times.totalMs;
        times.variant = "cpu";
        times.plan = plan.reason;
        times.roundsLocally = !fourier && plan.terms <= 1; // terms cancel where the kernel's taps are 0
        return times;
    }

private:
    cpu::ConvolutionPlan planOf(const ConvolutionJob &job) const {
        const int height = job.pictureHeight > 0 ? job.pictureHeight : job.source.height;
        return cpu::planConvolution(*job.kernel, {job.source.width, height, job.source.format}, costs_);
    }

    ThreadPool &pool_;
    const cpu::SimdKernels &simd_;
    const cpu::MethodCosts costs_;
};

const cpu::SimdKernels &kernelsNamed(std::string_view name) {
    for (const cpu::SimdKernels *kernels : cpu::availableSimdKernels())
        if (kernels->name == name)
            return *kernels;
    throw Error(ErrorKind::Device, "this processor has no instruction set '" + std::string(name) + "'");
}

} // namespace

std::shared_ptr<Engine> makeCpuEngine(ThreadPool &pool) {
    return std::make_shared<CpuEngine>(pool, *cpu::availableSimdKernels().front());
}

std::shared_ptr<Engine> makeCpuEngine(ThreadPool &pool, std::string_view instructionSet,
                                      const cpu::MethodCosts &costs) {
    return std::make_shared<CpuEngine>(pool, kernelsNamed(instructionSet), costs);
}

std::vector<std::string> cpuInstructionSets() {
    std::vector<std::string> names;
    for (const cpu::SimdKernels *kernels : cpu::availableSimdKernels())
        names.emplace_back(kernels->name);
    return names;
}

} // namespace tessera
