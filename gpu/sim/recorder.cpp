#include "gpu/sim/recorder.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

namespace tessera::sim {

namespace {

constexpr int banks = 32;
constexpr int bankBytes = 4;

// An occurrence is a round, a step of it, and how often the line ran in that step.
constexpr int stepBits = 22;
constexpr int executionBits = 20;

bool isWrite(AccessKind kind) { return kind == AccessKind::GlobalStore || kind == AccessKind::SharedStore; }
bool isAtomic(AccessKind kind) { return kind == AccessKind::GlobalAtomic || kind == AccessKind::SharedAtomic; }

// Distinct sectors that one request's lanes touch.
std::uint64_t sectorsOf(std::vector<std::uint64_t> &units) {
    std::sort(units.begin(), units.end());
    return std::uint64_t(std::unique(units.begin(), units.end()) - units.begin());
}

// Passes that shared memory needs for one request: the most distinct words that fall on one bank. Accesses wider than
// a word are served in groups of 16 or 8 lanes, which the caller has cut already.
std::uint64_t wavefrontsOf(std::vector<std::uint64_t> &words) {
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::array<std::uint64_t, banks> onBank{};
    for (const std::uint64_t word : words)
        ++onBank[word % banks];
    return *std::max_element(onBank.begin(), onBank.end());
}

} // namespace

void Recorder::beginBlock(Extent index, int threads) {
    block_ = index;
    ++blockNumber_;
    threads_ = threads;
    epochs_.assign(std::size_t(threads), 0);
    ++interval_;
}

void Recorder::beginShared(std::size_t bytes) {
    sharedBytes_.assign(bytes, Word{});
    sharedWritten_.assign(bytes, false);
}

// Lanes are in step when they have reconverged equally often, taken as many steps since, and executed the line equally
// often in this one.
std::uint64_t Recorder::occurrenceOf(std::vector<std::uint64_t> &next, int thread) {
    if (next.size() != std::size_t(threads_))
        next.assign(std::size_t(threads_), 0);
    std::uint64_t &mine = next[std::size_t(thread)];
    mine = std::max(mine, epochs_[std::size_t(thread)] << executionBits);
    return mine++;
}

void Recorder::reconverge(int thread) {
    std::uint64_t &epoch = epochs_[std::size_t(thread)];
    epoch = ((epoch >> stepBits) + 1) << stepBits;
}

SiteCounts &Recorder::countsOf(AccessKind kind, const Site &site) {
    SiteCounts &counts = counts_[{site.where.file_name(), site.where.line() * 8ull + std::uint64_t(kind)}];
    if (counts.line == 0) {
        counts.file = site.where.file_name();
        counts.line = int(site.where.line());
        counts.kind = kind;
    }
    return counts;
}

void Recorder::access(AccessKind kind, int thread, std::uint64_t address, int bytes, int alignment, const Site &site) {
    if (address % std::uint64_t(alignment) != 0)
        fault(FaultKind::Unaligned, site,
              here(thread) + " accesses " + std::to_string(bytes) + " bytes at an address that is no multiple of " +
                  std::to_string(alignment));
    SiteLog &log = logs_[{site.where.file_name(), site.where.line() * 8ull + std::uint64_t(kind)}];
    if (!log.counts)
        log.counts = &countsOf(kind, site); // std::map keeps its elements where they are
    if (log.accesses.size() < std::size_t(threads_))
        log.accesses.resize(std::size_t(threads_));
    log.accesses[std::size_t(thread)].push_back({address, bytes, occurrenceOf(log.next, thread)});
    log.used = true;
    log.counts->accesses += weight_;
    log.counts->bytes += weight_ * std::uint64_t(bytes);
    if (isGlobal(kind))
        checkGlobal(kind, thread, address, bytes, site);
    else
        checkShared(kind, thread, address, bytes, site);
}

void Recorder::passOver(AccessKind kind, int thread, const Site &site) {
    occurrenceOf(logs_[{site.where.file_name(), site.where.line() * 8ull + std::uint64_t(kind)}].next, thread);
}

void Recorder::branch(int thread, bool taken, const Site &site) {
    BranchLog &log = branches_[{site.where.file_name(), site.where.line() * 8ull + site.where.column() % 8}];
    log.outcomes.push_back({thread, taken, occurrenceOf(log.next, thread)});
}

void Recorder::checkShared(AccessKind kind, int thread, std::uint64_t offset, int bytes, const Site &site) {
    for (std::uint64_t byte = offset; byte < offset + std::uint64_t(bytes) && byte < sharedWritten_.size(); ++byte) {
        if (kind != AccessKind::SharedStore && !sharedWritten_[byte]) {
            fault(FaultKind::UninitialisedShared, site,
                  here(thread) + " reads shared byte " + std::to_string(byte) + ", which nothing wrote");
            break;
        }
        if (kind == AccessKind::SharedStore)
            sharedWritten_[byte] = true;
    }
    // Byte by byte: threads that write neighbouring bytes of one word do not disturb each other.
    const std::uint64_t faultsBefore = report_.faultCount;
    for (std::uint64_t byte = offset; byte < offset + std::uint64_t(bytes) && byte < sharedBytes_.size(); ++byte)
        if (report_.faultCount == faultsBefore)
            touch(sharedBytes_[byte], kind, thread, site);
}

void Recorder::checkGlobal(AccessKind kind, int thread, std::uint64_t address, int bytes, const Site &site) {
    if (!isWrite(kind))
        return; // readers are many and harmless; writers of one place are not
    const std::int64_t who = blockNumber_ * 1024 + thread + 1;
    bool raced = false;
    for (std::uint64_t byte = address; byte < address + std::uint64_t(bytes); ++byte) {
        std::int64_t &writer = globalWriters_[byte];
        raced = raced || (writer != 0 && writer != who);
        writer = who;
    }
    if (raced)
        fault(FaultKind::Race, site, here(thread) + " writes a global value that another thread wrote in this launch");
}

// Whether `thread` and `other` (a thread, or several) may have touched a word in either order.
bool Recorder::conflicts(std::int32_t other, std::uint32_t step, int thread) const {
    if (other == nobody || other == thread)
        return false;
    const int warp = thread / warpSize_;
    const bool sameWarp =
        other >= 0 ? other / warpSize_ == warp : other <= severalLanes && severalLanes - other == warp;
    return !sameWarp || step == step_;
}

// Readers of one warp in earlier steps may be forgotten: what this reader conflicts with, they conflict with no more.
void Recorder::noteReader(Word &word, int thread) const {
    const int warp = thread / warpSize_;
    if (word.reader == thread || !conflicts(word.reader, word.readerStep, thread))
        word.reader = thread;
    else if (word.reader == severalLanes - warp || (word.reader >= 0 && word.reader / warpSize_ == warp))
        word.reader = severalLanes - warp;
    else
        word.reader = severalWarps;
    word.readerStep = step_;
}

void Recorder::touch(Word &word, AccessKind kind, int thread, const Site &site) {
    if (word.interval != interval_)
        word = {nobody, nobody, 0, 0, interval_};
    if (isAtomic(kind))
        return; // atomics order themselves; a plain access beside them in one interval is rare enough to leave out
    const auto race = [&](std::int32_t other) {
        const std::string who = other >= 0 ? "thread " + std::to_string(other) : "several threads";
        fault(FaultKind::Race, site,
              here(thread) + " and " + who + " touch one shared value between two barriers, and one of them writes");
    };
    if (conflicts(word.writer, word.writerStep, thread))
        race(word.writer);
    else if (isWrite(kind) && conflicts(word.reader, word.readerStep, thread))
        race(word.reader);
    if (isWrite(kind)) {
        word.writer = thread;
        word.writerStep = step_;
    } else {
        noteReader(word, thread);
    }
}

void Recorder::fault(FaultKind kind, const Site &site, const std::string &what) {
    ++report_.faultCount;
    const SiteKey key{site.where.file_name(), site.where.line()};
    if (reported_.emplace(std::pair{int(kind), key}, true).second)
        report_.faults.push_back({kind, site.where.file_name(), int(site.where.line()), what});
}

std::string Recorder::here(int thread) const {
    return "block (" + std::to_string(block_.x) + ", " + std::to_string(block_.y) + "), thread " +
           std::to_string(thread);
}

void Recorder::closeRequests(AccessKind kind, SiteLog &log) {
    for (std::size_t first = 0; first < log.accesses.size(); first += std::size_t(warpSize_))
        closeWarp(kind, log, first);
    for (auto &ofThread : log.accesses)
        ofThread.clear();
    log.used = false;
}

// Lanes of one warp that executed a line for the k-th time make one request. `first`: the warp's first thread.
void Recorder::closeWarp(AccessKind kind, SiteLog &log, std::size_t first) {
    constexpr std::uint64_t none = ~0ull;
    const std::size_t lanes = std::min(std::size_t(warpSize_), log.accesses.size() - first);
    const int unitBytes = isGlobal(kind) ? sectorBytes_ : bankBytes;
    std::array<std::size_t, std::size_t(warpSize_)> at{}; // a lane each: its next access
    std::vector<std::uint64_t> units;
    for (;;) {
        std::uint64_t occurrence = none;
        int bytes = 0;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            const auto &accesses = log.accesses[first + lane];
            if (at[lane] < accesses.size() && accesses[at[lane]].occurrence < occurrence) {
                occurrence = accesses[at[lane]].occurrence;
                bytes = accesses[at[lane]].bytes;
            }
        }
        if (occurrence == none)
            return;
        // 32 lanes of 4 bytes fill the 128 bytes that shared memory serves at once; wider accesses go in parts.
        const std::size_t atOnce = std::size_t(isGlobal(kind) ? warpSize_ : warpSize_ / std::clamp(bytes / 4, 1, 4));
        std::uint64_t passes = 0, parts = 0;
        for (std::size_t part = 0; part < lanes; part += atOnce) {
            units.clear();
            for (std::size_t lane = part; lane < std::min(lanes, part + atOnce); ++lane) {
                const auto &accesses = log.accesses[first + lane];
                if (at[lane] == accesses.size() || accesses[at[lane]].occurrence != occurrence)
                    continue;
                const Access &access = accesses[at[lane]++];
                const std::uint64_t last = access.address + std::uint64_t(access.bytes) - 1;
                for (std::uint64_t unit = access.address / std::uint64_t(unitBytes);
                     unit <= last / std::uint64_t(unitBytes); ++unit)
                    units.push_back(unit);
            }
            if (units.empty())
                continue;
            passes += isGlobal(kind) ? sectorsOf(units) : wavefrontsOf(units);
            ++parts;
        }
        log.counts->requests += weight_;
        (isGlobal(kind) ? log.counts->sectors : log.counts->wavefronts) += weight_ * passes;
        if (!isGlobal(kind))
            log.counts->leastWavefronts += weight_ * parts;
    }
}

void Recorder::endOfPart() {
    for (auto &[key, log] : logs_) {
        if (log.used)
            closeRequests(AccessKind(key.second % 8), log);
        log.next.clear();
    }
    for (auto &[key, log] : branches_) {
        std::map<std::pair<int, std::uint64_t>, unsigned> ways; // bit 0: not taken, bit 1: taken
        for (const auto &outcome : log.outcomes)
            ways[{outcome.thread / warpSize_, outcome.occurrence}] |= outcome.taken ? 2u : 1u;
        for (const auto &[warp, mask] : ways)
            report_.divergentBranches += mask == 3u ? weight_ : 0;
        log.outcomes.clear();
        log.next.clear();
    }
    std::fill(epochs_.begin(), epochs_.end(), 0ull);
}

void Recorder::barrier() {
    report_.barriers += weight_;
    ++interval_;
    ++step_;
}

void Recorder::warpBarrier() {
    report_.warpBarriers += weight_ * warps();
    ++step_;
}

void Recorder::endLaunch(std::uint64_t threads) {
    report_.threads += threads;
    globalWriters_.clear(); // launches on one stream are ordered
    report_.sites.clear();
    for (const auto &[key, counts] : counts_)
        report_.sites.push_back(counts);
    std::sort(report_.sites.begin(), report_.sites.end(), [](const SiteCounts &a, const SiteCounts &b) {
        return std::tie(a.file, a.line, a.kind) < std::tie(b.file, b.line, b.kind);
    });
}

} // namespace tessera::sim
