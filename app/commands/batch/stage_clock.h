// How long the stages of a batch take, in milliseconds.
#pragma once

#include <chrono>

namespace tessera {

inline double millisecondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Runs one stage and stores how long it took, also where it fails.
template <class Stage> decltype(auto) timed(double &milliseconds, Stage &&stage) {
    struct Stopwatch {
        double &target;
        std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
        ~Stopwatch() { target = millisecondsSince(start); }
    } stopwatch{milliseconds};
    return stage();
}

} // namespace tessera
