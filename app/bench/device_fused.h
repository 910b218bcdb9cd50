// Convolutions that count their output's statistics in the same launch, as contenders beside the plain ones. Includes
// CUDA.
#pragma once

#include "app/bench/device_contenders.h"

namespace tessera::bench {

// "tiled+statistics", ... of every kernel variant that has such a form, in the kernel scope.
Contenders fusedContenders(const std::shared_ptr<DeviceSession> &session, const Engine &engine,
                           const std::shared_ptr<const ConvolutionTask> &task, const ContenderWish &wish,
                           const std::shared_ptr<DevicePictures> &pictures, std::vector<LeftOut> &leftOut);

} // namespace tessera::bench
