// What a benchmark found, as a value: printed as Markdown, written as JSON and CSV, read back to be compared with.
// Field names of the JSON are a contract that scripts rely on: device, ceilings and rows, and in a row variant, width,
// height, kernel_width, kernel_height, pixel, border, cache, scope, median_ms, p5_ms, p95_ms, samples, bytes,
// operations, floor_ms, share, max_error, relative_l2, tie_with. More may be there.
#pragma once

#include "app/bench/ceilings.h"
#include "app/bench/sample_statistics.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::bench {

// Clocks and what held them back, over a stretch of time.
struct ClockRecord {
    std::optional<int> lowestMhz, highestMhz; // of the multiprocessors
    std::optional<int> memoryMhz;
    std::optional<int> temperature;      // the highest, degrees Celsius
    std::vector<std::string> throttling; // reasons, in the driver's sense; empty: none

    void merge(const ClockRecord &other);
};

struct DeviceReport {
    std::string id;        // "cuda:0", "cpu"
    std::string name;      // "NVIDIA H200"
    std::string detail;    // "compute capability 9.0, 132 multiprocessors, 60 MB of second-level cache"
    double cacheBytes = 0; // that a cold run must pass
    DeviceCeilings ceilings;
    ClockRecord clocks;
    std::string clocksMissing; // why there are none
};

// What a row was measured on: rows of one contest are ranked against each other.
struct ContestKey {
    std::string work = "convolution"; // or "statistics"
    int width = 0, height = 0;
    int kernelWidth = 0, kernelHeight = 0;
    std::string kernel;       // "random", "gaussian:sigma=2"
    std::string pixel;        // "f32"
    std::string border;       // "zero", "constant:3"
    std::string distribution; // of the values, for statistics: "uniform"
    CacheState cache = CacheState::Cold;
    Scope scope = Scope::Kernel;

    friend bool operator==(const ContestKey &, const ContestKey &) = default;
};

struct Row {
    ContestKey key;
    std::string variant, device;
    SampleSummary time;
    int warmups = 0;
    Work work;
    std::optional<Floor> floor;
    std::optional<double> fp32FloorMs; // the floor if its operations were float multiply-adds; tensor cores can beat it
    CheckResult check;
    std::vector<std::string> tieWith; // those whose interval overlaps this one's
    int rank = 0;                     // 1 + how many are faster for certain; 0: not ranked
    std::string failure;              // why there is no time
    std::string note;                 // how it was set up, why samples are missing
    ClockRecord clocks;               // while its contest ran, as the driver tells them
    std::optional<double> clockMhz;   // of the multiprocessors while the work itself ran, the median

    // Whether the device ran slower than it does when nothing holds it back: by more than a fiftieth.
    bool heldBack(const DeviceReport &on) const {
        return clockMhz && on.clocks.highestMhz && *clockMhz < 0.98 * *on.clocks.highestMhz;
    }
    bool ranked() const { return failure.empty() && time.samples > 0; }
    std::optional<double> share() const; // floor over median
    // Operations a second; empty for work that is not dense.
    std::optional<double> operationsPerSecond() const;
};

struct LeftOut {
    std::string variant, device;
    std::string what; // "63x63, u8"; empty: altogether
    std::string reason;
};

struct Report {
    std::string version;              // of the program
    std::string started;              // ISO 8601, UTC
    std::string suite;                // empty: none
    std::uint64_t seed = 0;           // of the random data
    DeviceReport device;              // the first one that was measured
    std::optional<DeviceReport> host; // the CPU, where it took part beside a GPU
    std::vector<DeviceReport> others; // further GPUs
    std::vector<Row> rows;
    std::vector<LeftOut> leftOut;
    std::vector<std::string> notes; // what a reader must know to trust it
    bool interrupted = false;

    const DeviceReport *deviceReport(std::string_view id) const;
};

// Sets rank and tieWith within each contest.
void rankRows(std::span<Row> rows);

std::string markdownReport(const Report &report);
std::string csvReport(const Report &report); // RFC 4180, a header and a line a row
std::string jsonReport(const Report &report);

// What a comparison needs of an earlier report. Throws Error{Input} where the file is no such report.
Report readJsonReport(const std::filesystem::path &path);
Report parseJsonReport(std::string_view text, std::string_view name);

} // namespace tessera::bench
