#include "app/engines/sim_engine.h"

#include "app/core/thread_pool.h"
#include "app/engines/engine_support.h"
#include "app/engines/kernel_variants.h"
#include "gpu/sim/sim_launcher.h"

#include <chrono>
#include <cstring>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// The simulated device is generous with shared memory: as much as a block of the largest current GPUs may ask for.
DeviceLimits simulatedLimits() {
    DeviceLimits limits;
    limits.sharedBytesPerBlock = 227 * 1024;
    limits.multiprocessors = 132;
    return limits;
}

// A copy of `source` with `channels` channels of type T; new channels are 0.
template <class T, class S> void repackRows(const ConstPixelView &source, const PixelView &target) {
    const int from = source.format.channels;
    const int to = target.format.channels;
    for (int y = 0; y < source.height; ++y) {
        const S *in = source.row<S>(y);
        T *out = target.row<T>(y);
        for (int x = 0; x < source.width; ++x)
            for (int c = 0; c < to; ++c)
                out[x * to + c] = c < from ? static_cast<T>(in[x * from + c]) : T(0);
    }
}

void repack(const ConstPixelView &source, const PixelView &target) {
    withSampleType(source.format.depth, [&]<class S>(std::type_identity<S>) {
        if (target.format.depth == source.format.depth)
            repackRows<S, S>(source, target);
        else
            repackRows<float, S>(source, target); // the only change of type that an engine makes here
    });
}

RawView rawView(const PixelView &view) {
    return {view.data, view.width, view.height, view.pitch, scalarTypeOf(view.format.depth), view.format.channels};
}

RawView rawSource(const ConstPixelView &view) {
    return rawView({const_cast<std::byte *>(view.data), view.width, view.height, view.pitch, view.format});
}

class SimEngine final : public Engine {
public:
    std::string_view name() const override { return "sim"; }
    DeviceKind deviceKind() const override { return DeviceKind::Simulator; }
    std::string deviceId() const override { return "sim"; }
    std::string deviceName() const override { return "kernel simulator on the CPU"; }
    int workingCopies() const override { return 3; } // source and target, three channels packed as four
    std::vector<VariantInfo> variants() const override { return kernelVariantInfos(); }

    std::string refusal(const ConvolutionJob &job) const override {
        return kernelRefusal(job, choiceOf(job), simulatedLimits());
    }

    double errorBound(const ConvolutionJob &job, double largest) const override {
        return kernelErrorBound(job, choiceOf(job), largest);
    }

    RunTimes convolve(const ConvolutionJob &job, const RunControl &control) override {
        const auto start = Clock::now();
        checkJob(job);
        const VariantChoice choice = choiceOf(job);
        checkKernelJob(job, choice, simulatedLimits());
        const LaunchPlan plan = planConvolution(choice.variant, kernelShape(job), simulatedLimits()).plan;

        const PixelFormat packed{needsFloatSource(job) ? Depth::F32 : job.source.format.depth,
                                 packedChannels(job.source.format.channels)};
        Image sourceCopy, targetCopy;
        ConstPixelView source = job.source;
        PixelView target = job.target;
        if (packed != job.source.format) {
            sourceCopy = Image(job.source.width, job.source.height, packed);
            repack(job.source, sourceCopy.view());
            source = std::as_const(sourceCopy).view();
        }
        if (packed.channels != target.format.channels) {
            targetCopy = Image(target.width, target.height, {target.format.depth, packed.channels});
            target = targetCopy.view();
        }
        const auto kernelStart = Clock::now();
        run(plan, choice, job, source, target, control);
        RunTimes times;
        times.kernelMs = millisecondsSince(kernelStart);
        if (!targetCopy.empty())
            repack(std::as_const(targetCopy).view(), job.target);
        times.totalMs = millisecondsSince(start);
        times.variant = job.variant.empty() ? std::string(kernelVariantName(choice.variant)) : std::string(job.variant);
        times.note = "simulated on the CPU: the time says nothing about a GPU";
        return times;
    }

private:
    static VariantChoice choiceOf(const ConvolutionJob &job) { return parseVariant(job.variant, KernelVariant::Tiled); }

    // Rows of blocks are independent of each other, so they share the cores.
    static void run(const LaunchPlan &plan, const VariantChoice &choice, const ConvolutionJob &job,
                    const ConstPixelView &source, const PixelView &target, const RunControl &control) {
        Taps taps = tapsFrom(*job.kernel);
        ConvolutionRequest request = requestFor(job, choice, taps);
        scaleSums(job, choice, taps, request);
        request.source = rawSource(source);
        request.target = rawView(target);
        SharedProgress progress(control, std::size_t(plan.grid.y));
        ThreadPool::shared().parallelFor(std::size_t(plan.grid.y), [&](std::size_t row) {
            control.checkpoint();
            sim::SimLauncher launcher;
            launcher.firstRow = int(row);
            launcher.lastRow = int(row) + 1;
            launchVariant(launcher, plan, request);
            progress.finishPart();
        });
    }
};

} // namespace

std::shared_ptr<Engine> makeSimEngine() { return std::make_shared<SimEngine>(); }

} // namespace tessera
