// Counts what one line of a kernel does to memory in a whole launch, without running the launch.
//
// A convolution's accesses are regular: where a lane reads is a column that only x decides and a row that only y
// decides. A line is therefore described by two small functions, and its warps' requests are products of a set of
// columns and a set of rows. Requests that differ only by whole sectors (or whole rows of banks) cost the same and are
// counted once, with their number; so is each kind of block (see block_classes.h).
#pragma once

#include "gpu/kernels/block.h"
#include "gpu/model/block_classes.h"

#include <climits>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tessera::model {

enum class SiteKind : std::uint8_t { GlobalLoad, GlobalStore, SharedLoad, SharedStore };

constexpr bool isGlobal(SiteKind kind) { return kind <= SiteKind::GlobalStore; }

// Returned by the functions below where a lane makes no access: it has no output, or reads outside a zero border.
inline constexpr int nowhere = INT_MIN;

// A row, and which of two treatments it gets: kernels with a fast path take it only in rows inside the picture.
struct SiteRow {
    int row = nowhere;
    bool plain = true; // handed on to `column`
};

struct AccessSite {
    std::string name; // "taps from the source"
    SiteKind kind = SiteKind::GlobalLoad;
    int bytes = 4;               // of one access
    std::int64_t columnStep = 4; // bytes from one column to the next
    std::int64_t rowStep = 0;    // and from one row to the next: the pitch
    std::int64_t base = 0;       // address of column 0 of row 0, or its remainder by 256

    // The line runs stepsX * stepsY times a thread. Lanes of a warp are in step.
    int stepsX = 1;
    int stepsY = 1;
    std::function<int(int block, int thread, int step, bool plainRow)> column; // of block column, thread.x
    std::function<SiteRow(int block, int thread, int step)> row;               // of block row, thread.y
};

struct SiteCounts {
    std::int64_t accesses = 0; // by single threads
    std::int64_t bytes = 0;    // asked for by threads
    std::int64_t requests = 0; // by warps
    std::int64_t sectors = 0;  // global memory
    std::int64_t passes = 0;   // shared memory
    std::int64_t leastPasses = 0;

    std::int64_t bankConflicts() const { return passes - leastPasses; }
    friend bool operator==(const SiteCounts &, const SiteCounts &) = default;
};

// A launch as the counts need it. Rows of a block must make whole warps, or whole fractions of one: block.x is a
// multiple or a divisor of 32. Throws std::invalid_argument otherwise.
struct LaunchClasses {
    Extent block;
    std::vector<BlockClass> columns;
    std::vector<BlockClass> rows;
};

SiteCounts countSite(const AccessSite &site, const LaunchClasses &launch);

// A branch that every thread meets at most once, on a condition that is true where it is true along both axes.
struct BranchSite {
    enum Lane : std::uint8_t { Absent, No, Yes }; // does not come here; the condition along this axis

    std::string name;
    std::function<Lane(int block, int thread)> column;
    std::function<Lane(int block, int thread)> row;
};

// Warps whose lanes part at the branch.
std::int64_t countDivergentWarps(const BranchSite &branch, const LaunchClasses &launch);

} // namespace tessera::model
