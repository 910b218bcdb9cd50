// What the simulator counts and finds. Counts, never times.
//
// Left out: caches, the order of memory operations between threads, independent scheduling of lanes and asynchronous
// copies. A warp's k-th execution of one source line counts as one request of the lanes that reached it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::sim {

enum class AccessKind : std::uint8_t { GlobalLoad, GlobalStore, GlobalAtomic, SharedLoad, SharedStore, SharedAtomic };

constexpr bool isGlobal(AccessKind kind) { return kind <= AccessKind::GlobalAtomic; }

// Everything one source line did in a launch.
struct SiteCounts {
    std::string file;
    int line = 0;
    AccessKind kind = AccessKind::GlobalLoad;
    std::uint64_t accesses = 0;        // by single threads
    std::uint64_t bytes = 0;           // asked for by threads
    std::uint64_t requests = 0;        // by warps
    std::uint64_t sectors = 0;         // global: 32-byte sectors touched, summed over requests
    std::uint64_t wavefronts = 0;      // shared: passes needed
    std::uint64_t leastWavefronts = 0; // what they would be without conflicts: 1 a request, 2 or 4 for wide accesses
    std::uint64_t bankConflicts() const { return wavefronts - leastWavefronts; }
};

enum class FaultKind : std::uint8_t {
    OutOfBounds,        // outside a view or a shared array
    Unaligned,          // an address that is no multiple of the access's size
    Race,               // two threads touched one word between two barriers, one of them writing; threads of one warp
                        // are ordered by its own barriers as well
    UninitialisedShared // a shared word read before any thread wrote it
};

struct Fault {
    FaultKind kind;
    std::string file;
    int line = 0;
    std::string what; // one sentence with block, threads and element
};

struct SimulationReport {
    std::vector<SiteCounts> sites; // in the order of file and line
    std::vector<Fault> faults;     // at most one a site and kind
    std::uint64_t faultCount = 0;  // all of them
    std::uint64_t threads = 0;
    std::uint64_t divergentBranches = 0; // a warp's lanes went both ways at a branch()
    std::uint64_t barriers = 0;          // a block each
    std::uint64_t warpBarriers = 0;      // a warp each
    std::uint64_t shuffles = 0;          // exchanges, a warp each
    std::uint64_t votes = 0;             // ballots, a warp each

    std::uint64_t total(AccessKind kind, std::uint64_t SiteCounts::*member) const {
        std::uint64_t sum = 0;
        for (const SiteCounts &site : sites)
            if (site.kind == kind)
                sum += site.*member;
        return sum;
    }
    std::uint64_t bankConflicts() const {
        std::uint64_t sum = 0;
        for (const SiteCounts &site : sites)
            sum += isGlobal(site.kind) ? 0 : site.bankConflicts();
        return sum;
    }
};

} // namespace tessera::sim
