#include "app/race/race_gate.h"

namespace tessera {

void RaceGate::setClosed(bool &reason, bool value) {
    {
        const std::lock_guard lock(mutex_);
        reason = value;
        if (value)
            running_.request_stop();
    }
    opened_.notify_all();
}

void RaceGate::setHeld(bool held) { setClosed(held_, held); }
void RaceGate::setPaused(bool paused) { setClosed(paused_, paused); }

bool RaceGate::closed() const {
    const std::lock_guard lock(mutex_);
    return held_ || paused_;
}

std::stop_source RaceGate::enter(const RunControl &control) {
    std::unique_lock lock(mutex_);
    if (!opened_.wait(lock, control.stop, [this] { return !held_ && !paused_; }))
        control.checkpoint();
    running_ = std::stop_source();
    return running_;
}

void RaceGate::runUndisturbed(const RunControl &control, const std::function<void(const RunControl &)> &work) {
    for (;;) {
        control.checkpoint();
        std::stop_source own = enter(control);
        const std::stop_callback both(control.stop, [&own] { own.request_stop(); });
        try {
            work({own.get_token(), control.progress});
            control.checkpoint();
            if (!own.stop_requested())
                return;
        } catch (const Error &error) {
            if (error.kind() != ErrorKind::Cancelled)
                throw;
            control.checkpoint();
        }
    }
}

} // namespace tessera
