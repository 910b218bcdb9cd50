#include "gpu/model/divergence.h"

#include "gpu/model/banks.h"

#include <algorithm>

namespace tessera::model {

namespace {

constexpr int lanes = 32;

// The word that thread `thread` adds to in the round of stride s, or -1 where it is idle.
int targetWord(ReductionTree tree, int thread, int s, int threads) {
    switch (tree) {
    case ReductionTree::Interleaved:
        return thread % (2 * s) == 0 ? thread : -1;
    case ReductionTree::Strided:
        return 2 * s * thread < threads ? 2 * s * thread : -1;
    case ReductionTree::Sequential:
        return thread < s ? thread : -1;
    }
    return -1;
}

ReductionRound roundOf(ReductionTree tree, int s, int threads) {
    ReductionRound round;
    round.stride = s;
    std::vector<bool> active;
    std::vector<Request> own(std::size_t((threads + lanes - 1) / lanes)), other(own.size());
    for (int thread = 0; thread < threads; ++thread) {
        const int word = targetWord(tree, thread, s, threads);
        active.push_back(word >= 0);
        if (word < 0)
            continue;
        ++round.activeThreads;
        own[std::size_t(thread / lanes)].push_back({thread % lanes, std::int64_t(word) * bankBytes, bankBytes});
        other[std::size_t(thread / lanes)].push_back({thread % lanes, std::int64_t(word + s) * bankBytes, bankBytes});
    }
    round.divergentWarps = divergentWarps(active);
    for (const auto *requests : {&own, &other})
        for (const Request &request : *requests) {
            round.passes += passesOf(request);
            round.leastPasses += leastPassesOf(request);
        }
    return round;
}

} // namespace

int divergentWarps(const std::vector<bool> &active) {
    int divergent = 0;
    for (std::size_t first = 0; first < active.size(); first += lanes) {
        const auto begin = active.begin() + std::ptrdiff_t(first);
        const auto end = active.begin() + std::ptrdiff_t(std::min(active.size(), first + lanes));
        const auto count = std::count(begin, end, true);
        divergent += count > 0 && count < end - begin;
    }
    return divergent;
}

std::string_view reductionTreeName(ReductionTree tree) {
    switch (tree) {
    case ReductionTree::Interleaved:
        return "interleaved";
    case ReductionTree::Strided:
        return "strided";
    case ReductionTree::Sequential:
        return "sequential";
    }
    return "unknown";
}

std::vector<ReductionRound> reductionRounds(ReductionTree tree, int threads) {
    std::vector<ReductionRound> rounds;
    for (int s = 1; s < threads; s *= 2)
        rounds.push_back(roundOf(tree, s, threads));
    if (tree == ReductionTree::Sequential)
        std::reverse(rounds.begin(), rounds.end());
    return rounds;
}

int totalDivergence(const std::vector<ReductionRound> &rounds) {
    int total = 0;
    for (const ReductionRound &round : rounds)
        total += round.divergentWarps;
    return total;
}

} // namespace tessera::model
