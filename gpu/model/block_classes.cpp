#include "gpu/model/block_classes.h"

#include <map>
#include <tuple>

namespace tessera::model {

namespace {

constexpr std::int64_t inside = INT64_MIN;
constexpr std::int64_t phasePeriod = 128; // a multiple of the sector and of every access's alignment

std::int64_t phaseOf(std::int64_t offset) { return ((offset % phasePeriod) + phasePeriod) % phasePeriod; }

} // namespace

std::vector<BlockClass> blockClasses(const GridAxis &axis) {
    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    std::map<Key, std::size_t> known;
    std::vector<BlockClass> classes;
    for (int block = 0; block < axis.blocks; ++block) {
        const std::int64_t first = std::int64_t(block) * axis.tile;
        const std::int64_t lowest = first + axis.origin - axis.before;
        const std::int64_t highest = first + axis.origin + axis.tile - 1 + axis.after;
        const std::int64_t outputs = axis.outputs - first < axis.tile ? axis.outputs - first : axis.tile;
        // Near an edge every distance is a kind of its own.
        const Key key{lowest >= 0 ? inside : lowest, highest < axis.sourceSize ? inside : highest - axis.sourceSize,
                      outputs, phaseOf((first + axis.origin) * axis.sourceStep), phaseOf(first * axis.targetStep)};
        const auto [entry, fresh] = known.emplace(key, classes.size());
        if (fresh)
            classes.push_back({block, 1});
        else
            ++classes[entry->second].count;
    }
    return classes;
}

} // namespace tessera::model
