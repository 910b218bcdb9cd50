// OpenCV's way to the same numbers: calcHist, meanStdDev and minMaxLoc. Built only where OpenCV was found.
#pragma once

#include "app/bench/device_bench.h"
#include "app/bench/host_pictures.h"

namespace tessera::bench {

Contenders opencvStatisticsContenders(const std::shared_ptr<const StatisticsTask> &task,
                                      const std::shared_ptr<HostPictures> &pictures);

} // namespace tessera::bench
