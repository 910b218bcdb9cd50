// Cancellation and progress for anything that can last. Long loops call checkpoint() at least every few milliseconds.
#pragma once

#include "app/core/error.h"

#include <functional>
#include <stop_token>

namespace tessera {

struct RunControl {
    std::stop_token stop;
    std::function<void(double)> progress; // 0..1, called from the working thread; may be empty

    // Throws Error{Cancelled} once a stop was requested.
    void checkpoint() const {
        if (stop.stop_requested())
            throw Error(ErrorKind::Cancelled, "cancelled");
    }
    void report(double fraction) const {
        if (progress)
            progress(fraction);
    }
};

} // namespace tessera
