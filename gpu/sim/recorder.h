// Keeps what one block's threads do between barriers, turns it into warp requests, and looks for faults.
#pragma once

#include "gpu/kernels/block.h"
#include "gpu/sim/report.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera::sim {

class Recorder {
public:
    // `sectorBytes`: what global memory moves at once. GPUs have 32; textbooks scale it down with the warp.
    explicit Recorder(int sectorBytes = 32) : sectorBytes_(sectorBytes) {}

    void beginBlock(Extent index, int threads);
    void beginShared(std::size_t bytes); // a fresh block's shared memory: nothing written yet
    // The next blocks stand for this many each: counts are multiplied by it, faults are not.
    void setWeight(std::uint64_t blocks) { weight_ = blocks; }

    void forgetShared(std::size_t from) { // bytes from here on hold nothing any more
        std::fill(sharedWritten_.begin() + std::ptrdiff_t(from), sharedWritten_.end(), false);
    }

    // One access of one thread. `offset`: of the shared word in bytes; counts for shared kinds only.
    void access(AccessKind kind, int thread, std::uint64_t address, int bytes, int alignment, const Site &site);
    // The thread ran the line without an access, outside a zero border: it stays in step with its warp.
    void passOver(AccessKind kind, int thread, const Site &site);
    void branch(int thread, bool taken, const Site &site);
    void reconverge(int thread);
    void step(int thread) { ++epochs_[std::size_t(thread)]; }
    void fault(FaultKind kind, const Site &site, const std::string &what);
    std::string here(int thread) const; // "block (3, 0), thread 17"

    void endOfPart(); // all threads have run one phase() or each(): group what they did by warp
    void barrier();
    void warpBarrier(); // every warp's own
    void shuffle() { report_.shuffles += weight_ * warps(); }
    void vote() { report_.votes += weight_ * warps(); }
    void endLaunch(std::uint64_t threads);

    const SimulationReport &report() const { return report_; }

private:
    using SiteKey = std::pair<const char *, std::uint64_t>; // file, line * 8 + kind

    struct Access {
        std::uint64_t address;
        int bytes;
        std::uint64_t occurrence; // the thread's k-th execution of this line in this step of this round
    };
    struct SiteLog {
        std::vector<std::vector<Access>> accesses; // a thread each, occurrences ascending
        std::vector<std::uint64_t> next;           // a thread each: the occurrence its next execution gets
        bool used = false;                         // in this part
        SiteCounts *counts = nullptr;
    };
    struct BranchLog {
        struct Outcome {
            int thread;
            bool taken;
            std::uint64_t occurrence;
        };
        std::vector<Outcome> outcomes;
        std::vector<std::uint64_t> next;
    };
    // What happened to a word since the last barrier of the block. A step lies between two barriers of a warp: within
    // one, lanes of a warp are unordered.
    struct Word {
        std::int32_t writer = nobody;
        std::int32_t reader = nobody; // the latest; earlier ones of its warp were in earlier steps
        std::uint32_t writerStep = 0;
        std::uint32_t readerStep = 0;
        std::uint32_t interval = 0;
    };
    static constexpr std::int32_t nobody = -1;
    static constexpr std::int32_t severalWarps = -2;
    static constexpr std::int32_t severalLanes = -3; // and below: of warp (severalLanes - reader), in one step

    std::uint64_t occurrenceOf(std::vector<std::uint64_t> &next, int thread);
    SiteCounts &countsOf(AccessKind kind, const Site &site);
    void checkShared(AccessKind kind, int thread, std::uint64_t offset, int bytes, const Site &site);
    void checkGlobal(AccessKind kind, int thread, std::uint64_t address, int bytes, const Site &site);
    void touch(Word &word, AccessKind kind, int thread, const Site &site);
    bool conflicts(std::int32_t other, std::uint32_t step, int thread) const;
    void noteReader(Word &word, int thread) const;
    std::uint64_t warps() const { return std::uint64_t((threads_ + warpSize_ - 1) / warpSize_); }
    void closeRequests(AccessKind kind, SiteLog &log);
    void closeWarp(AccessKind kind, SiteLog &log, std::size_t first);

    int sectorBytes_;
    SimulationReport report_;
    std::map<SiteKey, SiteCounts> counts_;
    std::map<SiteKey, SiteLog> logs_;
    std::map<SiteKey, BranchLog> branches_;
    std::map<std::pair<int, SiteKey>, bool> reported_;
    std::vector<std::uint64_t> epochs_; // a thread each: how often it has reconverged, and its steps since
    std::vector<Word> sharedBytes_;
    std::vector<bool> sharedWritten_;
    std::unordered_map<std::uint64_t, std::int64_t> globalWriters_; // a byte each: block * 1024 + thread + 1
    Extent block_;
    std::int64_t blockNumber_ = -1;
    int threads_ = 0;
    std::uint64_t weight_ = 1;
    std::uint32_t interval_ = 1;
    std::uint32_t step_ = 1; // counts the warps' barriers
};

} // namespace tessera::sim
