#include "app/engines/cpu/cpu_engine.h"

#include "app/engines/cpu/fourier_tile.h"
#include "app/engines/cpu/kernel_plan.h"
#include "app/engines/cpu/tile.h"
#include "app/engines/engine_support.h"

#include <algorithm>
#include <chrono>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

// Below this, waking another thread costs more than it saves.
constexpr double leastParallelWork = 2e6; // multiply-adds

class CpuEngine final : public Engine {
public:
    CpuEngine(ThreadPool &pool, const cpu::SimdKernels &simd) : pool_(pool), simd_(simd) {}

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

    RunTimes convolve(const ConvolutionJob &job, const RunControl &control) override {
        const Clock::time_point start = Clock::now();
        checkJob(job);
        if (const std::string reason = refusal(job); !reason.empty())
            throw Error(ErrorKind::Usage, reason);
        cpu::KernelPlan plan = cpu::planKernel(*job.kernel, job.source, simd_);
        plan.finish = cpu::sampleFinish(job.finish, *job.kernel, job.target.format.depth);
        const double work = double(job.region.width) * job.region.height * job.source.format.channels *
                            (plan.operationsPerSample() + 2.0);
        const bool parallel = work > leastParallelWork;
        const bool fourier = plan.method == cpu::Method::Fourier;
        const std::vector<Rectangle> tiles =
            fourier ? fourierPairsOf(job, plan) : tilesOf(job, plan, simd_, parallel ? pool_.threads() : 1);
        SharedProgress progress(control, tiles.size());
        const auto convolveOne = [&](std::size_t index) {
            if (fourier)
                convolveFourierPair(job, plan, simd_, tiles[index], control);
            else
                convolveTile(job, plan, simd_, tiles[index], control);
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
        times.note = plan.explanation;
        return times;
    }

private:
    ThreadPool &pool_;
    const cpu::SimdKernels &simd_;
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

std::shared_ptr<Engine> makeCpuEngine(ThreadPool &pool, std::string_view instructionSet) {
    return std::make_shared<CpuEngine>(pool, kernelsNamed(instructionSet));
}

std::vector<std::string> cpuInstructionSets() {
    std::vector<std::string> names;
    for (const cpu::SimdKernels *kernels : cpu::availableSimdKernels())
        names.emplace_back(kernels->name);
    return names;
}

} // namespace tessera
