// The CPU engine: what filters on machines without a CUDA device, and the second opinion on those with one.
#pragma once

#include "app/core/thread_pool.h"
#include "app/engines/cpu/convolution_plan.h"
#include "app/engines/engine.h"

namespace tessera {

// With the best instruction set of this machine. The result is the same bit for bit whatever the number of threads and
// however the picture is cut into regions.
std::shared_ptr<Engine> makeCpuEngine(ThreadPool &pool = ThreadPool::shared());

// With a named one of cpuInstructionSets(), for tests and measurements. Throws Error{Device} where it is missing. Other
// costs lead the planner to other methods.
std::shared_ptr<Engine> makeCpuEngine(ThreadPool &pool, std::string_view instructionSet,
                                      const cpu::MethodCosts &costs = {});

// Best first: "AVX3", "AVX2", "SSE4", ... as Highway names them.
std::vector<std::string> cpuInstructionSets();

} // namespace tessera
