// Engines as contenders: whole calls from host memory to host memory.
#pragma once

#include "app/bench/convolution_contender.h"
#include "app/bench/host_pictures.h"

namespace tessera::bench {

// `pictures` are shared by all contenders of the workload. For engines on the host a call is the way from end to end.
std::unique_ptr<ConvolutionContender> makeEngineContender(std::shared_ptr<Engine> engine, std::string variant,
                                                          Scope scope, std::shared_ptr<const ConvolutionTask> task,
                                                          std::shared_ptr<HostPictures> pictures);

// Why the engine's variant cannot take part; empty where it can.
std::string engineRefusal(const Engine &engine, std::string_view variant, const Workload &workload);

} // namespace tessera::bench
