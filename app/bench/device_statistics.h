// Counting on the device: the project's reductions and histograms, alone and together. Includes CUDA.
#pragma once

#include "app/bench/device_bench.h"
#include "app/bench/device_pictures.h"

namespace tessera::bench {

class DeviceStatistics : public StatisticsContender {
public:
    DeviceStatistics(std::string variant, std::string deviceId, Scope wanted, StatisticsKind counted,
                     std::shared_ptr<const StatisticsTask> task, std::shared_ptr<DeviceSession> session,
                     std::shared_ptr<DevicePictures> pictures)
        : StatisticsContender(std::move(variant), std::move(deviceId), wanted, counted, std::move(task)),
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

protected:
    DeviceSession &session() { return *session_; }
    DevicePictures &pictures() { return *pictures_; }
    void prepare() override {
        session_->makeCurrent();
        pictures_->load(task().picture);
    }

private:
    std::shared_ptr<DeviceSession> session_;
    std::shared_ptr<DevicePictures> pictures_;
};

// The program's own, in every kind and the scopes wished for.
Contenders deviceStatisticsContenders(const std::shared_ptr<DeviceSession> &session, const std::string &deviceId,
                                      const std::shared_ptr<const StatisticsTask> &task, const ContenderWish &wish,
                                      const std::shared_ptr<DevicePictures> &pictures);

} // namespace tessera::bench
