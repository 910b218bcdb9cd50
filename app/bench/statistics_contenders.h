// Who counts on the host: the program's own statistics and, where it is there, OpenCV's functions for the same.
#pragma once

#include "app/bench/device_bench.h"

namespace tessera::bench {

Contenders hostStatisticsContenders(const std::shared_ptr<const StatisticsTask> &task, bool cold);

} // namespace tessera::bench
