// What a convolution must give, by the float64 reference, at enough places to trust a result: everywhere where that is
// affordable, else over the whole border band and over rows and single pixels of the inside.
#pragma once

#include "app/bench/workload.h"
#include "app/core/run_control.h"

#include <cstdint>
#include <vector>

namespace tessera::bench {

class ExactSamples {
public:
    // `budget`: multiply-adds that the reference may take; 0: what takes a second or two here. A border band that is
    // beyond half of it is thinned out evenly. Throws Error{Cancelled}.
    ExactSamples(const Workload &workload, const PixelBlock &source, const RunControl &control = {}, double budget = 0);

    std::uint64_t pixels() const { return places_.size(); }
    bool wholeBorder() const { return wholeBorder_; }

    // `result` against the exact values: integers against the correctly rounded ones, halves and floats as they are.
    // The failure is set where it breaks what is stated; the rounding of the output type is granted on top.
    CheckResult compare(const PixelBlock &result, const StatedError &stated) const;

private:
    struct Place {
        int x, y;
        bool border;
    };

    void choosePlaces(const Workload &workload, double budget);
    void addBorder(const Workload &workload, double limit);
    void addInside(const Workload &workload, double limit);
    bool isBorder(const Workload &workload, int x, int y) const;

    std::vector<Place> places_;
    std::vector<double> values_; // unrounded, channel by channel of each place
    std::uint64_t wholePixels_ = 0;
    bool wholeBorder_ = true;
};

} // namespace tessera::bench
