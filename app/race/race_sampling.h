// The samples of one row, and what they add up to.
#pragma once

#include "app/race/race.h"

#include <deque>

namespace tessera {

class RaceSamples {
public:
    static constexpr std::size_t most = 400; // the newest that figures are taken from, in a race without end

    void add(const RunTimes &times);
    int taken() const { return taken_; }
    double spentMs() const { return spentMs_; }
    void spend(double ms) { spentMs_ += ms; }
    void show(RaceRow &row) const; // sets its times

private:
    std::deque<double> total_, kernel_, copy_;
    int taken_ = 0;
    double spentMs_ = 0;
};

} // namespace tessera
