// A sum in double whose error does not grow with the number of terms (Neumaier 1974).
#pragma once

#include <cmath>

namespace tessera {

class CompensatedSum {
public:
    void add(double value) {
        const double next = sum_ + value;
        lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
        sum_ = next;
    }
    double value() const { return sum_ + lost_; }

private:
    double sum_ = 0.0;
    double lost_ = 0.0;
};

} // namespace tessera
