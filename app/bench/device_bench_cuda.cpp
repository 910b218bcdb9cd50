#include "app/bench/device_bench.h"
#include "app/bench/device_ceilings.h"
#include "app/bench/device_contenders.h"
#include "app/bench/device_fused.h"
#include "app/bench/device_statistics.h"
#include "app/bench/nvml.h"
#if defined(TESSERA_WITH_PEERS)
#include "app/bench/device_peers.h"
#endif

#include <algorithm>
#include <iterator>

namespace tessera::bench {

namespace {

std::string pciBusIdOf(int device) {
    char id[32] = "";
    TESSERA_CUDA_CHECK(cudaDeviceGetPCIBusId(id, sizeof id, device));
    return id;
}

class CudaBench final : public DeviceBench {
public:
    CudaBench(std::shared_ptr<Engine> engine, const cuda::DeviceProperties &properties)
        : engine_(std::move(engine)), session_(std::make_shared<DeviceSession>(properties)),
          clocks_(pciBusIdOf(properties.index)) {}

    std::string id() const override { return engine_->deviceId(); }

    DeviceReport describe(const std::function<bool()> &stop) override {
        const cuda::DeviceProperties &properties = session_->properties;
        DeviceReport report;
        report.id = id();
        report.name = engine_->deviceName();
        report.cacheBytes = properties.l2Bytes;
        report.detail = "compute capability " + std::to_string(properties.computeMajor) + "." +
                        std::to_string(properties.computeMinor) + ", " + std::to_string(properties.multiprocessors) +
                        " multiprocessors, " + std::to_string(properties.l2Bytes >> 20) +
                        " MiB of second-level cache, " + std::to_string(properties.memoryBytes >> 30) + " GiB; " +
                        versions();
        report.clocks = readClocks();
        report.ceilings = measureDeviceCeilings(*session_, stop);
        report.clocks.merge(readClocks());
        report.clocksMissing = clocks_.missing();
        return report;
    }

    ClockRecord readClocks() override { return clocks_.read(); }

    Contenders convolutions(std::shared_ptr<const ConvolutionTask> task, const ContenderWish &wish,
                            std::vector<LeftOut> &leftOut) override {
        const Workload &workload = task->workload;
        if (workload.pixel.channels != 1 && workload.pixel.channels != 4) {
            leftOut.push_back({"all kernels", id(), {}, "they take one channel or four"});
            return {};
        }
        // Shared by everybody, so that each finds the caches as the others left them.
        const auto pictures =
            std::make_shared<DevicePictures>(session_, workload.pixel, workload.width, workload.height, wish.cold);
        Contenders all = kernelContenders(session_, *engine_, task, wish, pictures, leftOut);
        if (std::max(workload.kernel.width, workload.kernel.height) > maximumTapsSide) {
            leftOut.push_back(
                {"vendors' libraries",
                 id(),
                 {},
                 "their taps travel in a form of at most " + std::to_string(maximumTapsSide) + " a side"});
            return all;
        }
        if (wish.statistics)
            append(all, fusedContenders(session_, *engine_, task, wish, pictures, leftOut));
#if defined(TESSERA_WITH_PEERS)
        append(all, peerContenders(session_, *engine_, task, wish, pictures, leftOut));
#else
        noPeers(wish, leftOut);
#endif
        return all;
    }

    Contenders statistics(std::shared_ptr<const StatisticsTask> task, const ContenderWish &wish,
                          std::vector<LeftOut> &leftOut) override {
        const PixelBlock &picture = task->picture;
        if (picture.pixel.channels != 1 && picture.pixel.channels != 4) {
            leftOut.push_back({"all kernels", id(), {}, "they take one channel or four"});
            return {};
        }
        const auto pictures = std::make_shared<DevicePictures>(session_, picture.pixel, picture.width, picture.height,
                                                               wish.cold, /*withTargets=*/false);
        Contenders all = deviceStatisticsContenders(session_, id(), task, wish, pictures);
#if defined(TESSERA_WITH_PEERS)
        if (wish.peers)
            append(all, peerStatisticsContenders(session_, id(), task, wish, pictures, leftOut));
#else
        noPeers(wish, leftOut);
#endif
        return all;
    }

private:
    static void append(Contenders &all, Contenders more) { std::ranges::move(more, std::back_inserter(all)); }

#if !defined(TESSERA_WITH_PEERS)
    void noPeers(const ContenderWish &wish, std::vector<LeftOut> &leftOut) const {
        if (wish.peers)
            leftOut.push_back({"vendors' libraries", id(), "altogether", "this build has none"});
    }
#endif

    static std::string versions() {
        int driver = 0, runtime = 0;
        TESSERA_CUDA_CHECK(cudaDriverGetVersion(&driver));
        TESSERA_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
        const auto text = [](int version) {
            return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
        };
        return "CUDA " + text(runtime) + ", driver for " + text(driver);
    }

    std::shared_ptr<Engine> engine_;
    std::shared_ptr<DeviceSession> session_;
    ClockReader clocks_;
};

} // namespace

std::unique_ptr<DeviceBench> openDeviceBench(std::shared_ptr<Engine> engine) {
    const cuda::DeviceList list = cuda::findDevices();
    const auto found = std::ranges::find_if(list.devices, [&](const cuda::DeviceProperties &device) {
        return "cuda:" + std::to_string(device.index) == engine->deviceId();
    });
    if (found == list.devices.end())
        throw Error(ErrorKind::Device, engine->deviceId() + " is gone: " + list.reason, "use --device cpu");
    try {
        return std::make_unique<CudaBench>(std::move(engine), *found);
    } catch (const cuda::CudaError &error) {
        throw Error(ErrorKind::Device, "cuda:" + std::to_string(found->index) + " cannot be measured: " + error.what(),
                    "use --device cpu");
    }
}

} // namespace tessera::bench
