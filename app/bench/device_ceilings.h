// The ceilings of one CUDA device. Includes CUDA.
#pragma once

#include "app/bench/ceilings.h"
#include "app/bench/device_session.h"

#include <functional>

namespace tessera::bench {

// Copies of several sizes cold and hot, the peaks of the arithmetic units, transfers and an empty call. A few seconds;
// what `stop` cuts off is missing.
DeviceCeilings measureDeviceCeilings(DeviceSession &session, const std::function<bool()> &stop);

} // namespace tessera::bench
