// Which devices and engines take part in a plan.
#pragma once

#include "app/bench/bench_plan.h"
#include "app/engines/engine.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera::bench {

struct Participants {
    std::vector<std::shared_ptr<Engine>> gpus; // CUDA engines
    std::vector<std::shared_ptr<Engine>> host; // cpu, opencv
    std::string why;                           // for the log
};

// `engines` in the order of availableEngines(), a parameter so that the policy can be tested without the hardware.
// Throws Error{Device} where a named device, or the GPU that the plan needs, is missing, Error{Usage} for the
// simulator.
Participants chooseParticipants(std::span<const std::shared_ptr<Engine>> engines, const std::string &device,
                                bool gpuOnly);

// Throws Error{Usage} where a variant asked for is none of theirs.
void checkVariants(const Participants &participants, const std::vector<std::string> &variants,
                   const std::string &device);

} // namespace tessera::bench
