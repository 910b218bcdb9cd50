// Counting on the device: the project's reductions and histograms, alone and together. Includes CUDA.
#pragma once

#include "app/bench/device_bench.h"
#include "app/bench/on_device.h"

namespace tessera::bench {

class DeviceStatistics : public OnDevice<StatisticsContender> {
public:
    DeviceStatistics(std::string variant, std::string deviceId, Scope wanted, StatisticsKind counted,
                     std::shared_ptr<const StatisticsTask> task, std::shared_ptr<DeviceSession> session,
                     std::shared_ptr<DevicePictures> pictures)
        : OnDevice(std::move(session), std::move(pictures), std::move(variant), std::move(deviceId), wanted, counted,
                   std::move(task)) {}

protected:
    void prepare() override {
        select();
        pictures().load(task().picture);
    }
};

// The program's own, in every kind and the scopes wished for.
Contenders deviceStatisticsContenders(const std::shared_ptr<DeviceSession> &session, const std::string &deviceId,
                                      const std::shared_ptr<const StatisticsTask> &task, const ContenderWish &wish,
                                      const std::shared_ptr<DevicePictures> &pictures);

} // namespace tessera::bench
