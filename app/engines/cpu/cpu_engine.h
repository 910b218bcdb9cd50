// The CPU engine: what filters on machines without a CUDA device, and the second opinion on those with one.
#pragma once

#include "app/core/thread_pool.h"
#include "app/engines/engine.h"

namespace tessera {

// The result is the same bit for bit whatever the number of threads and however the picture is cut into regions.
std::shared_ptr<Engine> makeCpuEngine(ThreadPool &pool = ThreadPool::shared());

} // namespace tessera
