// What the rows of a race must do, why they take what they take, and what the ceilings allow them.
#pragma once

#include "app/bench/inspection.h"
#include "app/race/race_track.h"

namespace tessera {

// What the access model knows of a GPU kernel beside bytes and operations; empty for other implementations.
struct KernelTraffic {
    // Passes through the load and store units of all multiprocessors together: a request of a warp takes one for every
    // 128 bytes (four sectors) of global memory, and in shared memory one more for every bank conflict.
    double passes = 0;
    int lanes = 128; // float multiply-adds that a multiprocessor makes a clock
};

// Sets bytes, operations, dense, unit, explanation and, where `count`, counts. `gpu` stands for the device of the
// kernel variants.
KernelTraffic describeWork(const Engine &engine, RaceTrack &track, const InspectedDevice &gpu, bool count, RaceRow &row,
                           const RunControl &control);

// Sets floorMs and predictedMs of a row on the device. The floor is bench::floorOf with hot caches: what stays in
// between the rounds cannot push a row below it. The prediction is the larger of the roofline's and, for kernels, the
// time that their passes take: a multiprocessor makes one a clock, and its clock follows from the measured rate of
// multiply-adds over its lanes (CUDA C++ Programming Guide, "Arithmetic Instructions" and "Shared Memory").
void applyCeilings(const RaceDevice &device, const KernelTraffic &traffic, RaceRow &row);

// The device that simulated rows are predicted for, where somebody measured its ceilings: `gpu` itself or one like it.
std::optional<RaceDevice> predictionDevice(const InspectedDevice &gpu);

} // namespace tessera
