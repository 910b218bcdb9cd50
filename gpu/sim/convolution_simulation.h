// A whole convolution in the recording simulator: all blocks, or one of each kind where all would take too long.
#pragma once

#include "gpu/launch/convolution.h"
#include "gpu/model/convolution_model.h"
#include "gpu/sim/sim_launcher.h"

#include <cstdint>
#include <functional>

namespace tessera::sim {

struct ConvolutionSimulation {
    SimulationReport report;
    std::int64_t blocksRun = 0;
    std::int64_t blocks = 0; // of the launch; the counts are always those of all of them

    bool sampled() const { return blocksRun < blocks; }
};

// The same launch as the model sees it.
model::ConvolutionCase caseOf(const LaunchPlan &plan, const ConvolutionRequest &request);

// Accesses by single threads that recording the whole launch would keep: about a million a second.
std::int64_t simulationCost(const model::ConvolutionModel &model);

// Runs every block. The request's pictures must be there, 256-byte aligned where sectors are to mean the GPU's.
// `between` is called before every block and may throw to stop.
ConvolutionSimulation simulateConvolution(const LaunchPlan &plan, const ConvolutionRequest &request,
                                          ThreadOrder order = ThreadOrder::Forward,
                                          const std::function<void()> &between = {});

// Runs one block of each kind (model::launchClasses), whose counts stand for all of its kind. Faults are those of the
// blocks that ran. Only their outputs are written.
ConvolutionSimulation simulateSample(const LaunchPlan &plan, const ConvolutionRequest &request,
                                     ThreadOrder order = ThreadOrder::Forward,
                                     const std::function<void()> &between = {});

} // namespace tessera::sim
