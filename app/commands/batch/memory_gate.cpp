#include "app/commands/batch/memory_gate.h"

#include "app/core/error.h"
#include "app/image/image.h"
#include "app/image/memory_limit.h"

#include <algorithm>
#include <chrono>

namespace tessera {

MemoryGate::~MemoryGate() {
    if (kept_ > 0)
        keepImageMemory(0);
}

void MemoryGate::keepMemory(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    kept_ = std::min(bytes, limit_);
    keepImageMemory(kept_);
}

bool MemoryGate::fits(std::uint64_t bytes) const {
    return used_ + bytes <= limit_ - kept_ || (used_ == 0 && bytes <= limit_);
}

MemoryGate::Share MemoryGate::acquire(std::uint64_t bytes) {
    if (bytes > limit_)
        throw Error(ErrorKind::Limit,
                    "filtering it takes " + memorySizeText(bytes) + " of memory, over the limit of " +
                        memorySizeText(limit_),
                    "raise --max-memory to " + memorySizeText(bytes) + ", or use a machine with more memory");
    std::unique_lock lock(mutex_);
    const std::uint64_t ticket = nextTicket_++;
    // A ticket must be served even by one who gives up, or those behind it would wait for ever: so all give up alike,
    // each when its turn comes.
    bool stopped = false;
    while (served_ != ticket || (!stopped && !fits(bytes))) {
        changed_.wait_for(lock, std::chrono::milliseconds(50));
        stopped = stopped || stopped_();
    }
    ++served_;
    changed_.notify_all();
    if (stopped)
        throw Error(ErrorKind::Cancelled, "not started");
    used_ += bytes;
    if (used_ > limit_ - kept_) { // a picture that takes everything
        kept_ = 0;
        keepImageMemory(0);
    }
    return {this, bytes};
}

void MemoryGate::release(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
    changed_.notify_all();
}

} // namespace tessera
