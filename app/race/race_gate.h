// The gate between a race and the picture: while it is held, nothing of the race runs, so that what the user does comes
// first. A measurement in progress is broken off and taken again, since its time would tell of the disturbance.
#pragma once

#include "app/core/run_control.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>

namespace tessera {

class RaceGate {
public:
    // From any thread. Holding asks the measurement in progress to stop; a call that cannot be stopped (a library's)
    // ends by itself.
    void setHeld(bool held);
    void setPaused(bool paused); // the same, by the user's wish; both must be released
    bool closed() const;

    // Runs `work` once without disturbance: waits while the gate is closed, hands it a control that a closing gate
    // stops, and calls it again where that happened. Throws Error{Cancelled} once control.stop was requested, and what
    // `work` throws.
    void runUndisturbed(const RunControl &control, const std::function<void(const RunControl &)> &work);

private:
    void setClosed(bool &reason, bool value);
    std::stop_source enter(const RunControl &control);

    mutable std::mutex mutex_;
    std::condition_variable_any opened_;
    bool held_ = false, paused_ = false;
    std::stop_source running_{std::nostopstate};
};

} // namespace tessera
