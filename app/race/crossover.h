// Which implementation wins where: every variant on random pictures of several sizes with random kernels of several
// sizes. Measured on demand, since it takes its time, and kept in a file.
#pragma once

#include "app/bench/sample_statistics.h"
#include "app/core/run_control.h"
#include "app/engines/engine.h"
#include "app/race/race_gate.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

// Dense: random taps of full rank. Separable: a gaussian.
enum class CrossoverKernels { Dense, Separable };

// What decides: the time from the call to the finished picture, transfers included, or the kernel's alone.
enum class CrossoverScope { Call, Kernel };

struct CrossoverPlan {
    std::vector<int> kernels{3, 5, 7, 11, 15, 21, 31};        // sides, odd
    std::vector<int> pictures{64, 128, 256, 512, 1024, 2048}; // sides
    CrossoverKernels kind = CrossoverKernels::Dense;
    PixelFormat format{Depth::U8, 1};
    int samples = 9;                 // of each variant in a cell
    double secondsPerVariant = 0.25; // fewer samples where they do not fit in, but at least one

    friend bool operator==(const CrossoverPlan &, const CrossoverPlan &) = default;
};

struct CrossoverTime {
    std::string variant;
    int samples = 0;
    double callMs = 0; // median
    bench::Interval call;
    std::optional<double> kernelMs;
    std::optional<bench::Interval> kernel;

    friend bool operator==(const CrossoverTime &, const CrossoverTime &) = default;
};

struct CrossoverCell {
    int kernel = 0, picture = 0;
    std::vector<CrossoverTime> times; // those that can run it, in the order of the engines; empty: not measured yet

    friend bool operator==(const CrossoverCell &, const CrossoverCell &) = default;
};

// The fastest of a cell and those that it is not faster than for certain.
struct CrossoverWinner {
    std::string variant;
    double ms = 0;
    std::vector<std::string> tieWith;
    double lead = 1; // the best time of the others over this; 1 where there is no other
};

struct CrossoverMap {
    std::string version;              // of the program
    std::vector<std::string> devices; // names, of all engines that took part
    CrossoverPlan plan;
    std::vector<CrossoverCell> cells; // row by row: kernels within pictures

    const CrossoverCell &at(std::size_t kernel, std::size_t picture) const {
        return cells[picture * plan.kernels.size() + kernel];
    }
    bool complete() const;
    friend bool operator==(const CrossoverMap &, const CrossoverMap &) = default;
};

// Empty for a cell without times.
std::optional<CrossoverWinner> winnerOf(const CrossoverCell &cell, CrossoverScope scope);

// Sizes and kernels with nothing measured yet.
CrossoverMap emptyCrossover(const CrossoverPlan &plan, const std::string &version);

// Measures the cells of `map` that have no times, small ones first, and calls `changed` after each. Throws
// Error{Cancelled}; what was measured by then stays. Simulated variants take no part.
void measureCrossover(CrossoverMap &map, RaceGate &gate, const RunControl &control,
                      const std::function<void(const CrossoverMap &)> &changed);

} // namespace tessera
