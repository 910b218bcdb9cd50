// The kernels of this project as contenders on one device. Includes CUDA.
#pragma once

#include "app/bench/device_bench.h"
#include "app/bench/device_pictures.h"

namespace tessera::bench {

// Of every variant that the engine has and the wish wants, for each of its scopes.
Contenders kernelContenders(const std::shared_ptr<DeviceSession> &session, const Engine &engine,
                            const std::shared_ptr<const ConvolutionTask> &task, const ContenderWish &wish,
                            const std::shared_ptr<DevicePictures> &pictures, std::vector<LeftOut> &leftOut);

// What all contenders with pictures on a device share.
class DeviceConvolution : public ConvolutionContender {
public:
    DeviceConvolution(std::string variant, const Engine &engine, Scope wanted,
                      std::shared_ptr<const ConvolutionTask> task, std::shared_ptr<DeviceSession> session,
                      std::shared_ptr<DevicePictures> pictures)
        : ConvolutionContender(std::move(variant), engine.deviceId(), wanted, std::move(task)),
          session_(std::move(session)), pictures_(std::move(pictures)) {}

    int rotations() const override { return pictures_->count(); }
    void select() override { session_->makeCurrent(); }
    void finish() override { session_->synchronize(); }
    double measure(int rotation) override {
        return scope == Scope::Kernel ? session_->measure([&] { run(rotation); }) : Contender::measure(rotation);
    }
    double resolutionMs() const override {
        return scope == Scope::Kernel ? eventResolutionMs : Contender::resolutionMs();
    }
    CheckResult check() override {
        session_->makeCurrent();
        return ConvolutionContender::check();
    }

protected:
    DeviceSession &session() { return *session_; }
    DevicePictures &pictures() { return *pictures_; }

    void load(const PixelBlock &picture) override { pictures_->load(picture); }
    void poison(std::byte value) override { pictures_->poison(value); }
    void fetch(PixelBlock &result) override { pictures_->fetch(result); }

private:
    std::shared_ptr<DeviceSession> session_;
    std::shared_ptr<DevicePictures> pictures_;
};

// Whether the taps travel with a launch, as most kernels and peers need them.
bool tapsFit(const Workload &workload);

// The request for a set of buffers; `taps` must outlive it.
ConvolutionRequest deviceRequest(DevicePictures &pictures, int set, const Workload &workload, const Taps &taps);

} // namespace tessera::bench
