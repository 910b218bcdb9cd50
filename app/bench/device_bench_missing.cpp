#include "app/bench/device_bench.h"

namespace tessera::bench {

std::unique_ptr<DeviceBench> openDeviceBench(std::shared_ptr<Engine> engine) {
    throw Error(ErrorKind::Device, "this build has no CUDA, so that it cannot measure " + engine->deviceId(),
                "use --device cpu");
}

} // namespace tessera::bench
