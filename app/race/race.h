// The same convolution through every implementation that this machine has, on the user's own picture: times with what
// they can be trusted to, errors, and why each takes what it takes.
#pragma once

#include "app/bench/ceilings.h"
#include "app/bench/sample_statistics.h"
#include "app/core/run_control.h"
#include "app/race/race_gate.h"
#include "app/session/pipeline.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

enum class RaceState { Waiting, Running, Done, Refused, Failed, Stopped }; // Stopped: it was not measured, nor will be

// What a kernel does to memory on the whole picture, for one kernel of the filter.
struct RaceCounts {
    std::int64_t globalReads = 0, globalWrites = 0; // by single threads
    std::int64_t sectors = 0;                       // of 32 bytes
    std::int64_t bankConflicts = 0;                 // passes lost
    std::int64_t divergentWarps = 0;
    std::int64_t races = 0; // words that two threads touched without a barrier between
    bool simulated = true;  // counted by the simulator; else by the access model, which agrees with it
    bool sampled = false;   // one block of each kind ran and stands for its kind
};

struct RaceRow {
    std::string engine, deviceId, device, variant, title, description;
    bool simulated = false; // its time would say nothing about a GPU: none is reported
    RaceState state = RaceState::Waiting;
    int samples = 0, wantedSamples = 0; // wantedSamples is 0 in a race without end

    // Milliseconds from the call to the finished picture.
    std::optional<double> medianMs, fastestMs, slowestMs, p5Ms, p95Ms;
    std::optional<bench::Interval> interval; // that the median lies in, with 95 % confidence
    std::vector<double> recent;              // the newest samples, oldest first
    std::optional<double> kernelMs, copyMs;  // medians, where the engine knows them apart
    std::vector<std::string> tieWith;        // see markTies

    std::optional<double> maximumError; // against float64, in the picture's units, on sampled parts of the picture
    double fullRange = 1;               // what the picture's units call white
    std::optional<double> relativeL2;
    bool errorRounded = false; // both are of rounded results, as the variant writes no floats for this picture

    // What one run must do: bytes read once plus written once, and the operations (a multiply-add is two) that the
    // implementation makes. Operations are empty where nobody counts them (a Fourier transform).
    double bytes = 0;
    std::optional<double> operations;
    bool dense = true; // it makes every multiply-add of the definition
    model::ArithmeticUnit unit = model::ArithmeticUnit::Fp32;
    std::optional<double> floorMs;     // no less is possible with the measured ceilings; hot caches
    std::optional<double> predictedMs; // what the model expects; of a simulated row: on the device of predictedOn
    std::string predictedOn;           // whose ceilings that took

    std::string explanation; // why it takes what it takes, sentences; may be empty
    std::optional<RaceCounts> counts;
    std::string note; // why it was refused or failed, what fell back

    // The time that rates are taken over: the kernel's where it is known, else the whole.
    std::optional<double> workMs() const { return kernelMs ? kernelMs : medianMs; }
    std::optional<double> bytesPerSecond() const;
    std::optional<double> operationsPerSecond() const;
    std::optional<double> intensity() const; // operations a byte
    // floorMs over workMs. Of rows that are not dense, floorMs is that of the memory alone.
    std::optional<double> share() const;
    // Operations a second where they are those of the definition: what a row achieves in its name.
    std::optional<double> achievedOperationsPerSecond() const;
};

// A device whose ceilings rows are held against.
struct RaceDevice {
    std::string id;   // "cpu", "cuda:0"; empty for one that is not here
    std::string name; // "NVIDIA H200"
    bench::DeviceCeilings ceilings;
    bool measuredNow = true; // in this session; else with the project's own benchmarks earlier, on another machine
};

// Ceilings once measured, kept from race to race. Used by one race at a time.
struct RaceMemory {
    std::vector<RaceDevice> devices;
    const RaceDevice *find(const std::string &id) const;
};

struct RaceOptions {
    int samples = 25;               // of each
    double secondsPerVariant = 2.0; // fewer samples where they do not fit in, but at least one
    bool endless = false;           // goes on until it is cancelled; figures are those of the newest samples
    bool ceilings = true;           // measure them where memory has none: some seconds
    bool counts = true;             // run the recording simulator: parts of a second a kernel
    double reportMs = 60;           // a row that is being sampled is reported at most this often
};

// Called from the working thread.
struct RaceEvents {
    std::function<void(std::size_t, const RaceRow &)> row;
    std::function<void(const RaceDevice &)> device;   // its ceilings are known
    std::function<void(const std::string &)> working; // what is being done beside the rows; empty: nothing
};

// One waiting row for each variant of each engine, in the order of availableEngines().
std::vector<RaceRow> raceRows();

// What speed-ups are over: the timed row "naive", or else the slowest one.
struct RaceBaseline {
    std::string name; // "naive", "slowest"
    double ms = 0;    // 0 where nothing is timed yet
};
RaceBaseline raceBaseline(std::span<const RaceRow> rows);

// Sets tieWith: the timed rows whose interval overlaps the row's own.
void markTies(std::span<RaceRow> rows);

// Of a race that is over: what has no time by now gets none.
void settleRows(std::span<RaceRow> rows);

// Runs them all on the step's kernels and the picture as it is stored: first each result is checked, then the
// ceilings are measured, then all take turns in changing order. Throws Error{Cancelled}, Error{Usage} where the step
// makes no convolution; what a single variant throws becomes its row's note.
void runRace(const Image &picture, const FilterStep &step, const RaceOptions &options, RaceGate &gate,
             RaceMemory &memory, const RunControl &control, const RaceEvents &events);

} // namespace tessera
