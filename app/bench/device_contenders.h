// The kernels of this project as contenders on one device. Includes CUDA.
#pragma once

#include "app/bench/device_bench.h"
#include "app/bench/on_device.h"

namespace tessera::bench {

// Of every variant that the engine has and the wish wants, for each of its scopes.
Contenders kernelContenders(const std::shared_ptr<DeviceSession> &session, const Engine &engine,
                            const std::shared_ptr<const ConvolutionTask> &task, const ContenderWish &wish,
                            const std::shared_ptr<DevicePictures> &pictures, std::vector<LeftOut> &leftOut);

class DeviceConvolution : public OnDevice<ConvolutionContender> {
public:
    DeviceConvolution(std::string variant, const Engine &engine, Scope wanted,
                      std::shared_ptr<const ConvolutionTask> task, std::shared_ptr<DeviceSession> session,
                      std::shared_ptr<DevicePictures> pictures)
        : OnDevice(std::move(session), std::move(pictures), std::move(variant), engine.deviceId(), wanted,
                   std::move(task)) {}

    CheckResult check() override {
        select();
        return ConvolutionContender::check();
    }

protected:
    void load(const PixelBlock &picture) override { pictures().load(picture); }
    void poison(std::byte value) override { pictures().poison(value); }
    void fetch(PixelBlock &result) override { pictures().fetch(result); }
};

// Whether the taps travel with a launch, as most kernels and peers need them.
bool tapsFit(const Workload &workload);

// The request for a set of buffers; `taps` must outlive it.
ConvolutionRequest deviceRequest(DevicePictures &pictures, int set, const Workload &workload, const Taps &taps);

} // namespace tessera::bench
