// How many blocks of a kernel a multiprocessor holds at once: the least of what its slots for blocks and warps, its
// registers and its shared memory allow, each with the granularity in which the hardware hands it out.
//
// Figures: CUDA C++ Programming Guide, "Compute Capabilities". Checked against the toolkit's own cuda_occupancy.h by
// tests/gpu/model_occupancy_test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::model {

// What one multiprocessor of a compute capability has.
struct MultiprocessorLimits {
    int computeMajor = 0, computeMinor = 0;
    int blocks = 0;  // slots for blocks
    int threads = 0; // slots for threads: 32 a warp
    int threadsPerBlock = 1024;
    int registers = 65536; // 32-bit, in four partitions; a block may use as many
    int registersPerThread = 255;
    int registerGranularity = 256; // handed out to a warp in steps of this many
    std::size_t sharedBytes = 0;
    std::size_t sharedBytesPerBlock = 0; // that a block may ask for, after opting in above 48 KB
    std::size_t reservedSharedBytes = 0; // that every block takes besides its own
    std::size_t sharedGranularity = 0;
};

// Empty for a capability that is not known: 7.5, 8.0, 8.6, 8.9, 9.0, 10.0 and 12.0 are.
std::optional<MultiprocessorLimits> multiprocessorLimits(int computeMajor, int computeMinor);
const std::vector<MultiprocessorLimits> &knownMultiprocessors();

// What a kernel takes.
struct BlockResources {
    int threads = 256;
    int registersPerThread = 0;  // 0: not known, so no limit
    std::size_t sharedBytes = 0; // static and dynamic
};

enum class Resource : std::uint8_t { Blocks, Warps, Registers, SharedMemory };

std::string resourceName(Resource resource); // "slots for blocks", "registers", ...

// Blocks that each resource would allow by itself; `unlimited` where the kernel takes nothing of it.
struct Occupancy {
    static constexpr int unlimited = 1 << 30;

    int byBlocks = 0, byWarps = 0, byRegisters = unlimited, bySharedMemory = unlimited;
    int blocks = 0;                 // the least of them; 0: the kernel cannot run at all
    int warps = 0;                  // of those blocks
    int maximumWarps = 0;           // of the multiprocessor
    std::vector<Resource> limiting; // what allows no more, at least one

    double share() const { return maximumWarps ? double(warps) / maximumWarps : 0.0; }
};

// threads >= 1.
Occupancy occupancyOf(const BlockResources &block, const MultiprocessorLimits &limits);

// "registers", or "registers and shared memory" where both allow no more.
std::string limitingResources(const Occupancy &occupancy);

} // namespace tessera::model
