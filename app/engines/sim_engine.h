// The GPU's kernels on the CPU, from their own source: every machine can run every variant. Exact, and slow: it is
// there to show and check what the GPU would do, and its times say nothing about one.
#pragma once

#include "app/engines/engine.h"

namespace tessera {

std::shared_ptr<Engine> makeSimEngine();

} // namespace tessera
