#include "app/engines/cuda_engine.h"

#include "app/engines/cuda_lane.h"
#include "app/engines/cuda_lane_launch.h"
#include "app/engines/device_bands.h"
#include "app/engines/engine_support.h"
#include "app/engines/injected_loss.h"
#include "app/engines/kernel_variants.h"
#include "app/engines/peers/peer_variants.h"
#include "app/engines/speed_store.h"
#include "app/engines/spread_check.h"
#include "app/engines/variant_advice.h"
#include "gpu/launch/cuda_launcher.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using Clock = std::chrono::steady_clock;

class CudaEngine final : public Engine {
public:
    explicit CudaEngine(const cuda::DeviceProperties &device)
        : device_(device), speeds_(SpeedStore().load(device.name)),
          injectedLoss_("cuda:" + std::to_string(device.index)) {}

    std::string_view name() const override { return "cuda"; }
    DeviceKind deviceKind() const override { return DeviceKind::Cuda; }
    std::string deviceId() const override { return "cuda:" + std::to_string(device_.index); }
    std::string deviceName() const override { return device_.name; }
    std::vector<VariantInfo> variants() const override {
        std::vector<VariantInfo> infos = tunedVariantInfos();
        const std::vector<VariantInfo> &ladder = kernelVariantInfos();
        infos.insert(infos.end(), ladder.begin(), ladder.end());
        for (VariantInfo &peer : PeerVariants::infos())
            infos.push_back(std::move(peer));
        return infos;
    }

    bool choosesByJob() const override { return true; }
    bool isLost() const override { return lost_; }

    // The device's context, lanes with their pinned memory, and the code that most jobs run.
    void prepare(int threads) noexcept override {
        try {
            check(cudaSetDevice(device_.index));
            std::vector<std::unique_ptr<Lane>> lanes;
            for (int i = 0; i < threads; ++i)
                lanes.push_back(lanes_.take());
            for (std::unique_ptr<Lane> &lane : lanes) {
                lane->ring.reserve();
                lanes_.give(std::move(lane));
            }
            Image picture(64, 64, {Depth::U8, 3}), result(64, 64, {Depth::U8, 3});
            std::memset(picture.view().data, 0, picture.bytes());
            const ConvolutionKernel kernel = ConvolutionKernel::centred(3, 3, std::vector<double>(9, 1.0));
            ConvolutionJob job;
            job.source = std::as_const(picture).view();
            job.target = result.view();
            job.region = {0, 0, 64, 64};
            job.kernel = &kernel;
            const VariantAdvice advice = adviceFor(job);
            if (kernelRefusal(job, advice.choice, device_.limits).empty())
                runInLane(advice, job, {});
        } catch (...) {
        }
    }

    std::string refusal(const ConvolutionJob &job) const override {
        if (lost_)
            return lostText();
        if (isPeerVariant(job.variant))
            return peers_.refusal(job);
        return kernelRefusal(job, choiceOf(job), device_.limits);
    }

    double errorBound(const ConvolutionJob &job, double largest) const override {
        if (isPeerVariant(job.variant))
            return peers_.errorBound(job, largest);
        return kernelErrorBound(job, choiceOf(job), largest);
    }

    RunTimes convolve(const ConvolutionJob &job, const RunControl &control) override {
        const auto start = Clock::now();
        checkJob(job);
        if (lost_)
            throw Error(ErrorKind::Device, lostText(), "use --device cpu, or start the program again");
        if (isPeerVariant(job.variant))
            return convolveByPeer(job, control, start);
        if (injectedLoss_.strikes()) {
            lost_ = true;
            throw Error(ErrorKind::Device,
                        deviceId() + " (" + device_.name + ") failed: the loss was injected for a test",
                        "the picture is unharmed; use --device cpu");
        }
        const VariantAdvice advice = adviceFor(job);
        checkKernelJob(job, advice.choice, device_.limits);
        control.checkpoint();
        try {
            check(cudaSetDevice(device_.index));
            RunTimes times = runWhereItFits(advice, job, control);
            times.totalMs = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
            return times;
        } catch (const cuda::CudaError &error) {
            rethrow(error);
        }
    }

private:
    RunTimes convolveByPeer(const ConvolutionJob &job, const RunControl &control, Clock::time_point start) {
        try {
            check(cudaSetDevice(device_.index));
            RunTimes times = peers_.convolve(job, control);
            times.totalMs = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
            return times;
        } catch (const cuda::CudaError &error) {
            rethrow(error);
        }
    }

    static void check(cudaError_t code) { cuda::check(code, "cudaSetDevice"); }

    VariantChoice choiceOf(const ConvolutionJob &job) const { return adviceFor(job).choice; }

    // The variant named, without a word, or the planner's.
    VariantAdvice adviceFor(const ConvolutionJob &job, bool finite = true) const {
        return job.variant.empty() ? advices_.adviceFor(job, device_.limits, speeds_, finite)
                                   : VariantAdvice{parseVariant(job.variant, KernelVariant::Naive), 0, {}};
    }

    std::string lostText() const { return deviceId() + " (" + device_.name + ") stopped working earlier"; }

    [[noreturn]] void rethrow(const cuda::CudaError &error) {
        if (error.sticky()) {
            lost_ = true; // its context is unusable for the rest of the process
            throw Error(ErrorKind::Device, deviceId() + " (" + device_.name + ") failed: " + error.what(),
                        "the picture is unharmed; use --device cpu");
        }
        if (error.outOfMemory())
            throw Error(ErrorKind::Limit, deviceId() + " has no memory left for this picture: " + error.what(),
                        "filter a smaller picture or use --device cpu");
        throw Error(ErrorKind::Device, deviceId() + " refused the work: " + error.what(), "use --device cpu");
    }

    // At once where the device's memory is enough, and the program may use so much of it; else in bands.
    RunTimes runWhereItFits(const VariantAdvice &advice, const ConvolutionJob &job, const RunControl &control) {
        const std::uint64_t needed = deviceBytes(job, advice.choice.variant);
        const std::optional<std::uint64_t> limit = deviceMemoryLimit();
        if (limit ? needed > *limit : needed > hasFit_ && needed > freeMemory(needed))
            return runBands(advice, job, control, [&] { return limit ? *limit : freeMemory(needed); });
        try {
            return runOverlapped(advice, job, control, needed, limit);
        } catch (const cuda::CudaError &error) { // others use the device as well
            if (!error.outOfMemory() || limit)
                throw;
        }
        hasFit_ = 0;
        return runBands(advice, job, control, [&] { return freeMemory(needed) / 2; });
    }

    // The only picture under way has nothing else that its copies could overlap with than itself.
    RunTimes runOverlapped(const VariantAdvice &advice, const ConvolutionJob &job, const RunControl &control,
                           std::uint64_t needed, std::optional<std::uint64_t> limit) {
        const cuda::PictureUnderWay underWay;
        std::optional<DeviceBands> bands;
        if (!job.timesApart && underWay.isOnlyOne() && !spreads(advice.choice.variant, job))
            bands = overlappingBands(job, advice.choice.variant, limit);
        if (!bands) {
            RunTimes times = runInLane(advice, job, control);
            for (std::uint64_t known = hasFit_; known < needed && !hasFit_.compare_exchange_weak(known, needed);) {
            }
            return times;
        }
        RunTimes times = runByBand(advice, job, *bands, control);
        times.plan += (times.plan.empty() ? "" : "; ") + ("in bands of " + std::to_string(bands->rows)) +
                      " rows, so that copies and computing overlap";
        return times;
    }

    RunTimes runByBand(const VariantAdvice &advice, const ConvolutionJob &job, const DeviceBands &bands,
                       const RunControl &control) {
        return runInBands(job, bands, control, [&](const ConvolutionJob &band) {
            check(cudaSetDevice(device_.index));
            return runInLane(advice, band, control);
        });
    }

    // Of the device, without what lanes keep for pictures to come where it is less than `needed`, and with some left.
    std::uint64_t freeMemory(std::uint64_t needed) {
        const auto query = [] {
            std::size_t free = 0, total = 0;
            TESSERA_CUDA_CHECK(cudaMemGetInfo(&free, &total));
            return std::uint64_t(free) / 10 * 9;
        };
        const std::uint64_t free = query();
        if (needed <= free)
            return free;
        lanes_.clear();
        return query();
    }

    // `budget` is asked once others are through: what they took is free again then.
    template <class Budget>
    RunTimes runBands(const VariantAdvice &advice, const ConvolutionJob &job, const RunControl &control,
                      const Budget &budget) {
        const auto turn = bandTurns_.take(control);
        const cuda::PictureUnderWay underWay;
        const std::optional<DeviceBands> bands = deviceBands(job, advice.choice.variant, budget());
        if (!bands)
            throw Error(
                ErrorKind::Limit, deviceId() + " has too little memory for this picture, even in bands",
                "filter a smaller picture, allow more by TESSERA_GPU_MEMORY where that is set, or use --device cpu");
        RunTimes times = runByBand(advice, job, *bands, control);
        // Where some bands are not finite, only they are done by another variant.
        const bool looked = job.variant.empty() && spreads(advice.choice.variant, job);
        times.note = "in bands of " + std::to_string(bands->rows) +
                     " rows, as it wants more of the GPU's memory than it may take" +
                     (bands->exact && !looked ? "" : "; the same as at once only to within rounding");
        return times;
    }

    // A lane that was stopped on its way is as good as new once its stream is empty.
    RunTimes runInLane(const VariantAdvice &advice, const ConvolutionJob &job, const RunControl &control) {
        std::unique_ptr<Lane> lane = lanes_.take();
        try {
            RunTimes times = run(*lane, advice, job, control);
            lanes_.give(std::move(lane));
            return times;
        } catch (const Error &) {
            lane->stream.synchronize();
            lanes_.give(std::move(lane));
            throw;
        }
    }

    RunTimes run(Lane &lane, VariantAdvice advice, const ConvolutionJob &job, const RunControl &control) {
        const cuda::StreamView stream = lane.stream.view();
        const Rectangle window = deviceWindow(job, advice.choice.variant);
        const ConstPixelView sent = job.source.part(window);
        const auto pause = [&control] { control.checkpoint(); };
        const LanePictures on = lanePictures(lane, job, window, pause);

        lane.start.record(stream);
        lane.ring.upload(on.raw.data, on.raw.pitch, sent.data, sent.pitch, sent.width * sent.format.bytesPerPixel(),
                         sent.height, stream, pause);
        lane.uploaded.record(stream);
        if (on.source.data != on.raw.data)
            cuda::launchRepack(on.raw, on.source, stream);
        const bool checks = spreads(advice.choice.variant, job);
        const Spread spread = checks ? spreadOf(lane, on.source, *job.kernel) : Spread();
        if (!spread.finite && !job.variant.empty())
            throw Error(ErrorKind::Usage, spreadText(advice.choice.variant), "use another variant");
        if (!spread.finite || (!spread.even && advice.choice.variant == KernelVariant::Fft))
            advice = adviceFor(job, /*finite=*/false);
        launchInLane(lane, advice.choice, job, window, device_.limits, on.source, on.target);
        if (on.rawTarget.data != on.target.data)
            cuda::launchRepack(on.target, on.rawTarget, stream);
        lane.computed.record(stream);
        lane.ring.download(job.target.data, job.target.pitch, on.rawTarget.data, on.rawTarget.pitch,
                           job.target.width * job.target.format.bytesPerPixel(), job.target.height, stream, pause);
        lane.downloaded.record(stream);
        lane.stream.synchronize();
        control.checkpoint();
        return timesInLane(lane, advice, job, checks);
    }

    const cuda::DeviceProperties device_;
    const SpeedTable speeds_;
    mutable AdviceCache advices_;
    InjectedLoss injectedLoss_;
    std::atomic<bool> lost_ = false;
    std::atomic<std::uint64_t> hasFit_ = 0; // bytes that jobs have had at once
    LanePool lanes_;
    BandTurns bandTurns_;
    PeerVariants peers_;
};

} // namespace

std::vector<std::shared_ptr<Engine>> makeCudaEngines() {
    std::vector<std::shared_ptr<Engine>> engines;
    for (const cuda::DeviceProperties &device : cuda::findDevices().devices)
        engines.push_back(std::make_shared<CudaEngine>(device));
    return engines;
}

} // namespace tessera
