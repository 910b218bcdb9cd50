#include "gpu/model/occupancy.h"

#include <algorithm>

namespace tessera::model {

namespace {

constexpr int lanes = 32;
constexpr int partitions = 4;
constexpr std::size_t kibibyte = 1024;

template <class T> constexpr T roundUp(T value, T step) { return (value + step - 1) / step * step; }

MultiprocessorLimits limitsOf(int major, int minor, int blocks, int threads, std::size_t sharedKiB) {
    MultiprocessorLimits limits;
    limits.computeMajor = major;
    limits.computeMinor = minor;
    limits.blocks = blocks;
    limits.threads = threads;
    limits.sharedBytes = sharedKiB * kibibyte;
    // From 8.0 on the system keeps 1 KB of shared memory for itself in every block.
    limits.reservedSharedBytes = major >= 8 ? kibibyte : 0;
    limits.sharedBytesPerBlock = limits.sharedBytes - limits.reservedSharedBytes;
    limits.sharedGranularity = major >= 8 ? 128 : 256;
    return limits;
}

int blocksByRegisters(const BlockResources &block, const MultiprocessorLimits &limits) {
    if (block.registersPerThread <= 0)
        return Occupancy::unlimited;
    const int warps = (block.threads + lanes - 1) / lanes;
    const int perWarp = roundUp(block.registersPerThread * lanes, limits.registerGranularity);
    // A launch is checked as if its warps filled all partitions evenly.
    if (block.registersPerThread > limits.registersPerThread || perWarp * roundUp(warps, partitions) > limits.registers)
        return 0;
    return limits.registers / partitions / perWarp * partitions / warps;
}

int blocksBySharedMemory(const BlockResources &block, const MultiprocessorLimits &limits) {
    const std::size_t taken = roundUp(block.sharedBytes + limits.reservedSharedBytes, limits.sharedGranularity);
    if (block.sharedBytes > limits.sharedBytesPerBlock)
        return 0;
    return taken == 0 ? Occupancy::unlimited : int(limits.sharedBytes / taken);
}

} // namespace

const std::vector<MultiprocessorLimits> &knownMultiprocessors() {
    static const std::vector<MultiprocessorLimits> known{limitsOf(7, 5, 16, 1024, 64),  limitsOf(8, 0, 32, 2048, 164),
                                                         limitsOf(8, 6, 16, 1536, 100), limitsOf(8, 9, 24, 1536, 100),
                                                         limitsOf(9, 0, 32, 2048, 228), limitsOf(10, 0, 32, 2048, 228),
                                                         limitsOf(12, 0, 24, 1536, 100)};
    return known;
}

std::optional<MultiprocessorLimits> multiprocessorLimits(int computeMajor, int computeMinor) {
    for (const MultiprocessorLimits &limits : knownMultiprocessors())
        if (limits.computeMajor == computeMajor && limits.computeMinor == computeMinor)
            return limits;
    return std::nullopt;
}

std::string resourceName(Resource resource) {
    switch (resource) {
    case Resource::Blocks:
        return "slots for blocks";
    case Resource::Warps:
        return "slots for warps";
    case Resource::Registers:
        return "registers";
    case Resource::SharedMemory:
        return "shared memory";
    }
    return "unknown";
}

Occupancy occupancyOf(const BlockResources &block, const MultiprocessorLimits &limits) {
    Occupancy occupancy;
    const int warps = (block.threads + lanes - 1) / lanes;
    occupancy.maximumWarps = limits.threads / lanes;
    occupancy.byBlocks = limits.blocks;
    occupancy.byWarps = block.threads > limits.threadsPerBlock ? 0 : occupancy.maximumWarps / warps;
    occupancy.byRegisters = blocksByRegisters(block, limits);
    occupancy.bySharedMemory = blocksBySharedMemory(block, limits);
    occupancy.blocks =
        std::min({occupancy.byBlocks, occupancy.byWarps, occupancy.byRegisters, occupancy.bySharedMemory});
    occupancy.warps = occupancy.blocks * warps;
    // In the order in which a reader can do something about it.
    if (occupancy.bySharedMemory == occupancy.blocks)
        occupancy.limiting.push_back(Resource::SharedMemory);
    if (occupancy.byRegisters == occupancy.blocks)
        occupancy.limiting.push_back(Resource::Registers);
    if (occupancy.byWarps == occupancy.blocks)
        occupancy.limiting.push_back(Resource::Warps);
    if (occupancy.byBlocks == occupancy.blocks)
        occupancy.limiting.push_back(Resource::Blocks);
    return occupancy;
}

std::string limitingResources(const Occupancy &occupancy) {
    std::string text;
    for (std::size_t i = 0; i < occupancy.limiting.size(); ++i)
        text += (i == 0                               ? ""
                 : i + 1 == occupancy.limiting.size() ? " and "
                                                      : ", ") +
                resourceName(occupancy.limiting[i]);
    return text;
}

} // namespace tessera::model
