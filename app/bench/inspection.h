// Why a kernel is as fast as it is: its launch plan, what the access model says of it, what the simulator counts, and,
// on a GPU, what the compiler made of it. The numbers behind `tessera inspect` and the race's explanations.
#pragma once

#include "app/bench/pixel_kind.h"
#include "app/core/run_control.h"
#include "app/engines/kernel_variants.h"
#include "gpu/model/convolution_model.h"
#include "gpu/model/occupancy.h"
#include "gpu/model/roofline.h"
#include "gpu/sim/convolution_simulation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tessera {

// The GPU that plans and occupancy are reckoned for.
struct InspectedDevice {
    std::string name;        // "NVIDIA H200", or "compute capability 9.0" where none is there
    bool present = false;    // on this machine
    int index = 0;           // of a present one
    int multiprocessors = 0; // 0: not known
    DeviceLimits limits;
    std::optional<model::MultiprocessorLimits> multiprocessor; // empty for a capability that the model does not know
    model::Ceilings ceilings;                                  // measured ones
    std::string ceilingsOf;                                    // whose they are; empty where nobody measured any
};

// The first CUDA device of this machine; without one a GPU of compute capability 9.0, of which an H200 was measured.
InspectedDevice defaultInspectedDevice();

// A GPU that need not be there. Throws Error{Usage} for a capability that the model does not know, listing those it
// does.
InspectedDevice inspectedDevice(int computeMajor, int computeMinor);

struct InspectionRequest {
    VariantChoice variant;
    int width = 0, height = 0; // of the picture
    PixelKind pixel = pixelKinds().front();
    ConvolutionKernel kernel;
    Border border;
    bool insideOnly = false; // only the outputs whose whole window lies inside the picture
    bool simulate = false;
    // Accesses by single threads that a simulation may record; beyond, one block of each kind is run and its counts
    // stand for its kind.
    std::int64_t simulationLimit = 50'000'000;
    InspectedDevice device;
};

// What the driver says of the loaded kernel.
struct LoadedKernel {
    int registers = 0;                 // a thread
    std::size_t staticSharedBytes = 0; // a block
    std::size_t localBytes = 0;        // a thread
    int maximumThreads = 0;            // a block
    int blocksPerMultiprocessor = 0;
    int binaryVersion = 0;
};

struct Inspection {
    InspectionRequest request;
    model::ConvolutionModel model;             // model.launch.plan is the plan
    std::optional<model::Occupancy> occupancy; // without the registers' limit where no kernel was loaded
    std::optional<model::Roofline> roofline;
    std::optional<sim::ConvolutionSimulation> simulation;
    std::optional<LoadedKernel> loaded;
    std::string explanation; // one sentence, no final stop

    const LaunchPlan &plan() const { return model.launch.plan; }
    // Blocks that the device holds at once, as a share of the launch: 2.5 is two and a half rounds of them. Empty where
    // the number of multiprocessors is not known.
    std::optional<double> rounds() const;
};

// Throws Error: Usage where the variant cannot run this, Limit where even a sample of the simulation is too long or its
// picture too large, Cancelled, Device where the GPU fails.
Inspection inspectVariant(const InspectionRequest &request, const RunControl &control = {});

// Why the variant cannot run the request; empty where it can.
std::string inspectionRefusal(const InspectionRequest &request);

} // namespace tessera
