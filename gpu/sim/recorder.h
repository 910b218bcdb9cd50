// Keeps what one block's threads do between barriers, turns it into warp requests, and looks for faults.
#pragma once

#include "gpu/kernels/block.h"
#include "gpu/sim/report.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera::sim {

class Recorder {
public:
    void beginBlock(Extent index, int threads);
    void beginShared(std::size_t bytes); // a fresh block's shared memory: nothing written yet
    // The next blocks stand for this many each: counts are multiplied by it, faults are not.
    void setWeight(std::uint64_t blocks) { weight_ = blocks; }

    // One access of one thread. `offset`: of the shared word in bytes; counts for shared kinds only.
    void access(AccessKind kind, int thread, std::uint64_t address, int bytes, int alignment, const Site &site);
    // The thread ran the line without an access, outside a zero border: it stays in step with its warp.
    void passOver(AccessKind kind, int thread, const Site &site);
    void branch(int thread, bool taken, const Site &site);
    void reconverge(int thread) { ++epochs_[std::size_t(thread)]; }
    void fault(FaultKind kind, const Site &site, const std::string &what);
    std::string here(int thread) const; // "block (3, 0), thread 17"

    void endOfPart(); // all threads have run one phase() or each(): group what they did by warp
    void barrier();
    void shuffle() { report_.shuffles += weight_ * std::uint64_t((threads_ + warpSize_ - 1) / warpSize_); }
    void endLaunch(std::uint64_t threads);

    const SimulationReport &report() const { return report_; }

private:
    using SiteKey = std::pair<const char *, std::uint64_t>; // file, line * 8 + kind

    struct Access {
        std::uint64_t address;
        int bytes;
        int thread;
        std::uint64_t occurrence; // the thread's k-th execution of this line since it last reconverged
    };
    struct SiteLog {
        std::vector<Access> accesses;
        std::vector<std::uint64_t> next; // a thread each: the occurrence its next execution gets
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
    struct Touch {
        std::int32_t writer = -1;       // the last thread that wrote it in this interval, -1 none
        std::int32_t reader = -1;       // one that read it
        std::int32_t secondReader = -1; // and another one
        std::uint32_t interval = 0;
    };

    std::uint64_t occurrenceOf(std::vector<std::uint64_t> &next, int thread);
    SiteCounts &countsOf(AccessKind kind, const Site &site);
    void checkShared(AccessKind kind, int thread, std::uint64_t offset, int bytes, const Site &site);
    void checkGlobal(AccessKind kind, int thread, std::uint64_t address, int bytes, const Site &site);
    int touch(Touch &place, AccessKind kind, int thread) const;
    void closeRequests(AccessKind kind, SiteLog &log);

    SimulationReport report_;
    std::map<SiteKey, SiteCounts> counts_;
    std::map<SiteKey, SiteLog> logs_;
    std::map<SiteKey, BranchLog> branches_;
    std::map<std::pair<int, SiteKey>, bool> reported_;
    std::vector<std::uint32_t> epochs_; // how often each thread has reconverged in this part
    std::vector<Touch> sharedBytes_;
    std::vector<bool> sharedWritten_;
    std::unordered_map<std::uint64_t, Touch> globalWords_; // writer is block * 1024 + thread here
    Extent block_;
    std::int64_t blockNumber_ = -1;
    int threads_ = 0;
    std::uint64_t weight_ = 1;
    std::uint32_t interval_ = 1;
};

} // namespace tessera::sim
