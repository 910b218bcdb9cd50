#include "gpu/model/access_site.h"

#include "gpu/model/banks.h"
#include "gpu/model/sectors.h"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

namespace tessera::model {

namespace {

constexpr int lanes = warpSize_;

// A multiple of `period` at or below `value`.
constexpr std::int64_t floorTo(std::int64_t value, std::int64_t period) {
    const std::int64_t remainder = value % period;
    return value - (remainder < 0 ? remainder + period : remainder);
}

// How a block's threads fall into warps.
struct WarpShape {
    int columns;  // threads of one row in a warp
    int rows;     // rows of a warp
    int segments; // warps side by side in a row of the block

    explicit WarpShape(Extent block)
        : columns(std::min(block.x, lanes)), rows(std::max(1, lanes / block.x)),
          segments(std::max(1, block.x / lanes)) {
        if (block.x < 1 || block.y < 1 || (block.x % lanes != 0 && lanes % block.x != 0))
            throw std::invalid_argument("a block of " + std::to_string(block.x) + "x" + std::to_string(block.y) +
                                        " threads has no rows of whole warps or whole fractions of one");
    }
};

// One request along x: for each lane of a row the offset of its column. The first list holds for plain rows.
struct ColumnSet {
    std::array<std::vector<std::pair<int, std::int64_t>>, 2> lanesOf; // lane in the row, offset in bytes

    bool empty() const { return lanesOf[0].empty() && lanesOf[1].empty(); }
    auto operator<=>(const ColumnSet &) const = default;

    // Shifts by whole periods towards 0, so that sets which cost the same become equal.
    void normalise(std::int64_t period) {
        std::int64_t lowest = INT64_MAX;
        for (const auto &list : lanesOf)
            for (const auto &[lane, offset] : list)
                lowest = std::min(lowest, offset);
        for (auto &list : lanesOf)
            for (auto &[lane, offset] : list)
                offset -= floorTo(lowest, period);
    }
};

// And along y: for each row of a warp where it begins.
struct RowSet {
    struct Row {
        int row; // of the warp
        bool plain;
        std::int64_t offset;
        auto operator<=>(const Row &) const = default;
    };
    std::vector<Row> rows;

    bool empty() const { return rows.empty(); }
    auto operator<=>(const RowSet &) const = default;

    void normalise(std::int64_t period) {
        std::int64_t lowest = INT64_MAX;
        for (const Row &row : rows)
            lowest = std::min(lowest, row.offset);
        for (Row &row : rows)
            row.offset -= floorTo(lowest, period);
    }
};

std::map<ColumnSet, std::int64_t> columnSets(const AccessSite &site, const LaunchClasses &launch, std::int64_t period) {
    const WarpShape warp(launch.block);
    std::map<ColumnSet, std::int64_t> sets;
    for (const BlockClass &block : launch.columns)
        for (int step = 0; step < site.stepsX; ++step)
            for (int segment = 0; segment < warp.segments; ++segment) {
                ColumnSet set;
                for (int lane = 0; lane < warp.columns; ++lane)
                    for (const bool plain : {true, false}) {
                        const int column = site.column(block.first, segment * warp.columns + lane, step, plain);
                        if (column != nowhere)
                            set.lanesOf[plain ? 0 : 1].emplace_back(lane, column * site.columnStep);
                    }
                if (set.empty())
                    continue;
                set.normalise(period);
                sets[set] += block.count;
            }
    return sets;
}

std::map<RowSet, std::int64_t> rowSets(const AccessSite &site, const LaunchClasses &launch, std::int64_t period) {
    const WarpShape warp(launch.block);
    std::map<RowSet, std::int64_t> sets;
    for (const BlockClass &block : launch.rows)
        for (int step = 0; step < site.stepsY; ++step)
            for (int first = 0; first < launch.block.y; first += warp.rows) {
                RowSet set;
                for (int row = 0; row < warp.rows && first + row < launch.block.y; ++row) {
                    const SiteRow where = site.row(block.first, first + row, step);
                    if (where.row != nowhere)
                        set.rows.push_back({row, where.plain, site.base + where.row * site.rowStep});
                }
                if (set.empty())
                    continue;
                set.normalise(period);
                sets[set] += block.count;
            }
    return sets;
}

SiteCounts countRequest(const AccessSite &site, const ColumnSet &columns, const RowSet &rows, int rowLanes) {
    Request request;
    for (const RowSet::Row &row : rows.rows)
        for (const auto &[lane, offset] : columns.lanesOf[row.plain ? 0 : 1])
            request.push_back({row.row * rowLanes + lane, row.offset + offset, site.bytes});
    SiteCounts counts;
    if (request.empty())
        return counts;
    counts.accesses = std::int64_t(request.size());
    counts.bytes = counts.accesses * site.bytes;
    counts.requests = 1;
    if (isGlobal(site.kind)) {
        counts.sectors = sectorsOf(request);
    } else {
        counts.passes = passesOf(request);
        counts.leastPasses = leastPassesOf(request);
    }
    return counts;
}

} // namespace

SiteCounts countSite(const AccessSite &site, const LaunchClasses &launch) {
    const std::int64_t period = isGlobal(site.kind) ? sectorBytes : banks * bankBytes;
    const auto columns = columnSets(site, launch, period);
    const auto rows = rowSets(site, launch, period);
    const int rowLanes = WarpShape(launch.block).columns;
    SiteCounts total;
    for (const auto &[columnSet, columnCount] : columns)
        for (const auto &[rowSet, rowCount] : rows) {
            const SiteCounts one = countRequest(site, columnSet, rowSet, rowLanes);
            const std::int64_t times = columnCount * rowCount;
            total.accesses += one.accesses * times;
            total.bytes += one.bytes * times;
            total.requests += one.requests * times;
            total.sectors += one.sectors * times;
            total.passes += one.passes * times;
            total.leastPasses += one.leastPasses * times;
        }
    return total;
}

std::int64_t countDivergentWarps(const BranchSite &branch, const LaunchClasses &launch) {
    const WarpShape warp(launch.block);
    // Along one axis: lanes that come to the branch, and those of them whose condition holds. How often each pair.
    std::map<std::pair<int, int>, std::int64_t> columns, rows;
    const auto count = [](std::pair<int, int> &lanesHere, BranchSite::Lane lane) {
        lanesHere.first += lane != BranchSite::Absent;
        lanesHere.second += lane == BranchSite::Yes;
    };
    for (const BlockClass &block : launch.columns)
        for (int segment = 0; segment < warp.segments; ++segment) {
            std::pair<int, int> here{0, 0};
            for (int lane = 0; lane < warp.columns; ++lane)
                count(here, branch.column(block.first, segment * warp.columns + lane));
            columns[here] += block.count;
        }
    for (const BlockClass &block : launch.rows)
        for (int first = 0; first < launch.block.y; first += warp.rows) {
            std::pair<int, int> here{0, 0};
            for (int row = first; row < std::min(first + warp.rows, launch.block.y); ++row)
                count(here, branch.row(block.first, row));
            rows[here] += block.count;
        }
    std::int64_t divergent = 0;
    for (const auto &[columnLanes, columnCount] : columns)
        for (const auto &[rowLanes, rowCount] : rows) {
            const int yes = columnLanes.second * rowLanes.second;
            if (yes > 0 && yes < columnLanes.first * rowLanes.first)
                divergent += columnCount * rowCount;
        }
    return divergent;
}

} // namespace tessera::model
