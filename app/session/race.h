// The same convolution through every implementation that this machine has, on the user's own picture.
#pragma once

#include "app/core/run_control.h"
#include "app/session/pipeline.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

enum class RaceState { Waiting, Running, Done, Refused, Failed };

struct RaceRow {
    std::string engine, device, variant, title, description;
    bool simulated = false; // its time would say nothing about a GPU: none is reported
    RaceState state = RaceState::Waiting;
    int samples = 0, wantedSamples = 0;
    std::optional<double> medianMs, fastestMs, slowestMs; // from the call to the finished picture
    std::optional<double> kernelMs, copyMs;               // medians, where the engine knows them apart
    std::optional<double> maximumError; // against float64, in the picture's units, on sampled parts of the picture
    double fullRange = 1;               // what the picture's units call white
    std::optional<double> relativeL2;
    std::string note; // why it was refused or failed, what fell back
};

struct RaceOptions {
    int samples = 9;
    double secondsPerVariant = 2.0;      // fewer samples where they do not fit in, but at least one
    std::function<void()> waitUntilIdle; // called before each sample, so that a race gives way to the picture
};

// One waiting row for each variant of each engine, in the order of availableEngines().
std::vector<RaceRow> raceRows();

// The rows as JSON: one object a variant; what was not measured is left out, simulated rows say so.
std::string raceJson(const std::vector<RaceRow> &rows);

// Runs them all on the step's kernels and the picture as it is stored. Calls `changed(index, row)` whenever a row
// changes, from the working thread. Throws Error{Cancelled}, Error{Usage} where the step makes no convolution; what a
// single variant throws becomes its row's note.
void runRace(const Image &picture, const FilterStep &step, const RaceOptions &options, const RunControl &control,
             const std::function<void(std::size_t, const RaceRow &)> &changed);

} // namespace tessera
