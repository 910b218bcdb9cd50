// The kernels on NVIDIA GPUs, one engine a device.
#pragma once

#include "app/engines/engine.h"
#include "gpu/device/properties.h"

namespace tessera {

// One engine a CUDA device; empty where there is none.
std::vector<std::shared_ptr<Engine>> makeCudaEngines();

} // namespace tessera
