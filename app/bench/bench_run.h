// From a plan to a report.
#pragma once

#include "app/bench/bench_plan.h"
#include "app/bench/report.h"

#include <functional>
#include <string>

namespace tessera::bench {

struct BenchHooks {
    std::function<bool()> stop;                        // finish the sample in hand, then report what there is
    std::function<void(const std::string &)> progress; // one line, often
    std::function<void(const std::string &)> log;      // what was chosen and why
};

// Whether `device` (as in --device) brings a CUDA device into play. Throws Error{Device} where a named device is
// missing, Error{Usage} for the simulator, whose times mean nothing.
bool usesGpu(const std::string &device);

// Throws Error{Usage} for variants that nothing here has, Error{Device} where the plan needs a GPU and there is none.
void checkPlan(const BenchPlan &plan);

// checkPlan(), then measures. A contender that fails or breaks its promise has a row that says so.
Report runBench(const BenchPlan &plan, const BenchHooks &hooks);

} // namespace tessera::bench
