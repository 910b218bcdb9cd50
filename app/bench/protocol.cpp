#include "app/bench/protocol.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <numeric>
#include <random>
#include <utility>

namespace tessera::bench {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

class Contest {
public:
    Contest(std::span<Contender *const> contenders, CacheState cache, const ProtocolSettings &settings,
            const StopQuestion &stop)
        : cache_(cache), settings_(settings), stop_(stop) {
        for (Contender *contender : contenders)
            entrants_.push_back({contender, {}, {}, 0, true});
    }

    void warmUp() {
        for (Entrant &entrant : entrants_)
            while (!stopped() && entrant.active && entrant.result.warmups < settings_.warmups &&
                   (entrant.result.warmups == 0 || entrant.spentMs < settings_.rule.budgetMs / 5)) {
                sample(entrant);
                ++entrant.result.warmups;
            }
    }

    // False once there is nothing left to do.
    bool round() {
        std::vector<std::size_t> order(entrants_.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        std::ranges::shuffle(order, random_);
        for (const std::size_t index : order) {
            if (stopped())
                return false;
            Entrant &entrant = entrants_[index];
            if (!entrant.active)
                continue;
            if (const double ms = sample(entrant); entrant.active) {
                entrant.result.samples.push_back(ms);
                if (const std::optional<double> mhz = entrant.contender->clockMhz())
                    entrant.clocksMhz.push_back(*mhz);
            }
            const int taken = int(entrant.result.samples.size());
            if (entrant.active && settings_.rule.exhausted(taken, entrant.spentMs))
                leave(entrant, taken);
        }
        return std::ranges::any_of(entrants_,
                                   [&](const Entrant &entrant) { return entrant.active && !tight(entrant); });
    }

    int fewestSamples() const {
        int fewest = settings_.rule.samples;
        for (const Entrant &entrant : entrants_)
            if (entrant.active)
                fewest = std::min(fewest, int(entrant.result.samples.size()));
        return fewest;
    }

    std::vector<Measurement> results() {
        std::vector<Measurement> results;
        for (Entrant &entrant : entrants_) {
            entrant.result.tight = tight(entrant);
            if (!entrant.clocksMhz.empty())
                entrant.result.clockMhz = summarize(std::move(entrant.clocksMhz)).median;
            const int taken = int(entrant.result.samples.size());
            if (stopped() && entrant.active && taken < settings_.rule.samples)
                entrant.result.shortfall = shortfallText(taken, "interrupted");
            results.push_back(std::move(entrant.result));
        }
        return results;
    }

private:
    struct Entrant {
        Contender *contender = nullptr;
        Measurement result;
        std::vector<double> clocksMhz;
        double spentMs = 0;
        bool active = true;
    };

    bool stopped() const { return stop_ && stop_(); }

    bool tight(const Entrant &entrant) const {
        return settings_.rule.enough(entrant.result.samples, entrant.contender->resolutionMs());
    }

    std::string shortfallText(int taken, const std::string &why) const {
        return std::to_string(taken) + " of " + std::to_string(settings_.rule.samples) + " samples: " + why;
    }

    void leave(Entrant &entrant, int taken) const {
        entrant.active = false;
        if (taken < settings_.rule.samples)
            entrant.result.shortfall = shortfallText(taken, "its time was up");
    }

    double sample(Entrant &entrant) {
        const auto start = Clock::now();
        double ms = 0;
        try {
            Contender &contender = *entrant.contender;
            contender.select();
            if (cache_ == CacheState::Hot) {
                contender.run(0);
                contender.finish();
                ms = contender.measure(0);
            } else {
                ms = contender.measure(next_++ % contender.rotations());
            }
        } catch (const std::exception &error) {
            entrant.active = false;
            entrant.result.failure = error.what();
        }
        entrant.spentMs += millisecondsSince(start);
        return ms;
    }

    const CacheState cache_;
    const ProtocolSettings &settings_;
    const StopQuestion &stop_;
    std::vector<Entrant> entrants_;
    std::minstd_rand random_{1}; // the order need not be secret, only different from round to round
    int next_ = 0;               // one for all contenders: they share the buffers
};

} // namespace

std::vector<Measurement> runContest(std::span<Contender *const> contenders, CacheState cache,
                                    const ProtocolSettings &settings, const StopQuestion &stop,
                                    const RoundReport &report) {
    Contest contest(contenders, cache, settings, stop);
    contest.warmUp();
    while (contest.round())
        if (report)
            report(contest.fewestSamples(), settings.rule.samples);
    return contest.results();
}

} // namespace tessera::bench
