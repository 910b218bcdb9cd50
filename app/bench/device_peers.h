// Vendors' libraries (gpu/peers) as contenders on one device. Includes CUDA.
#pragma once

#include "app/bench/device_contenders.h"
#include "app/bench/device_statistics.h"

namespace tessera::bench {

Contenders peerContenders(const std::shared_ptr<DeviceSession> &session, const Engine &engine,
                          const std::shared_ptr<const ConvolutionTask> &task, const ContenderWish &wish,
                          const std::shared_ptr<DevicePictures> &pictures, std::vector<LeftOut> &leftOut);

Contenders peerStatisticsContenders(const std::shared_ptr<DeviceSession> &session, const std::string &deviceId,
                                    const std::shared_ptr<const StatisticsTask> &task, const ContenderWish &wish,
                                    const std::shared_ptr<DevicePictures> &pictures, std::vector<LeftOut> &leftOut);

} // namespace tessera::bench
