// One workload of a plan: its contenders are made, checked and timed, and its rows added to the report.
#pragma once

#include "app/bench/bench_run.h"
#include "app/bench/device_bench.h"
#include "app/bench/participants.h"
#include "app/bench/report.h"

#include <memory>
#include <vector>

namespace tessera::bench {

// Whether the kernel is one column times one row, to rounding.
bool isSeparable(const ConvolutionKernel &kernel);

class ContestRunner {
public:
    ContestRunner(const ProtocolSettings &settings, const BenchHooks &hooks, const Participants &participants,
                  const std::vector<std::unique_ptr<DeviceBench>> &devices, Report &report)
        : settings_(settings), hooks_(hooks), participants_(participants), devices_(devices), report_(report) {}

    // Scope and cache of `key` are filled in for each contest.
    void convolve(const ContestKey &key, Workload workload, const ContenderWish &wish,
                  const std::vector<CacheState> &caches);
    void count(const ContestKey &key, const PixelKind &pixel, std::uint64_t seed, const ContenderWish &wish,
               const std::vector<CacheState> &caches);

private:
    struct Checked {
        std::unique_ptr<Contender> contender;
        CheckResult check;
        bool threw = false;
    };

    void measureAll(const ContestKey &key, const ContenderWish &wish, const std::vector<CacheState> &caches,
                    Contenders contenders);
    std::vector<Checked> checkAll(const ContestKey &key, Contenders contenders);
    void measure(ContestKey key, std::vector<Checked *> entrants);
    void addFailure(const ContestKey &key, const Checked &entrant);
    Row rowOf(const ContestKey &key, const Checked &entrant) const;

    void addEngines(std::shared_ptr<const ConvolutionTask> task, const ContenderWish &wish, Contenders &contenders,
                    std::vector<LeftOut> &leftOut) const;
    void keepLeftOut(const ContestKey &key, std::vector<LeftOut> leftOut);
    void readClocks(ClockRecord &clocks, const std::string &device) const;
    void progress(const std::string &line) const;
    bool stopped() const { return hooks_.stop && hooks_.stop(); }

    const ProtocolSettings &settings_;
    const BenchHooks &hooks_;
    const Participants &participants_;
    const std::vector<std::unique_ptr<DeviceBench>> &devices_;
    Report &report_;
};

} // namespace tessera::bench
