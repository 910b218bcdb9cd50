// How contenders are timed against each other: warm-up, then rounds in which each gives one sample, in an order that
// changes from round to round, so that whatever disturbs the machine hits all of them alike.
#pragma once

#include "app/bench/contender.h"
#include "app/bench/sample_statistics.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera::bench {

struct ProtocolSettings {
    int warmups = 20; // each; fewer where a fifth of the rule's budget is spent on them
    StoppingRule rule;
};

struct Measurement {
    std::vector<double> samples;    // milliseconds, in the order taken
    std::optional<double> clockMhz; // the device's, median of the samples'
    int warmups = 0;
    bool tight = false;    // the rule was content
    std::string shortfall; // why there are fewer samples than asked for; empty where there are not
    std::string failure;   // it threw: it has no time
};

// Asked between two samples.
using StopQuestion = std::function<bool()>;
// Called now and then with the samples taken so far of the slowest and the number asked for.
using RoundReport = std::function<void(int taken, int wanted)>;

// One measurement a contender, in their order. A contender whose budget is spent leaves; the rounds end when the rule
// is content with all that remain, or when `stop` says so.
std::vector<Measurement> runContest(std::span<Contender *const> contenders, CacheState cache,
                                    const ProtocolSettings &settings, const StopQuestion &stop = {},
                                    const RoundReport &report = {});

} // namespace tessera::bench
