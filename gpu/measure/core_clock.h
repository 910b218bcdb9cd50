// How fast the multiprocessors' clock ran over a stretch of a stream. The driver's library tells a clock at a moment of
// its own; a kernel that makes a device draw all the power it may have runs slower than what is read before and after.
#pragma once

#include "gpu/device/memory.h"

#include <optional>

namespace tessera::cuda {

class CoreClock {
public:
    explicit CoreClock(int multiprocessors);

    // Small launches of their own, before and behind the stretch.
    void start(StreamView stream) { stamp(stream, 0); }
    void stop(StreamView stream) { stamp(stream, 1); }

    // MHz, the median of the multiprocessors that both launches met, once the stream is done. Nothing where the stretch
    // was too short to tell: below 10 microseconds.
    std::optional<double> mhz() const;

private:
    void stamp(StreamView stream, int end);

    int multiprocessors_;
    PinnedBuffer stamps_; // of each end and multiprocessor
};

} // namespace tessera::cuda
