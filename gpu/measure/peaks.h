// Loops that do one thing as fast as the device can: what everything else is held against. Each queues its work on a
// stream and returns.
#pragma once

#include "gpu/device/memory.h"
#include "gpu/model/roofline.h"

#include <cstddef>

namespace tessera::cuda {

// The loops of a unit differ in how many independent chains a thread carries and in which operands stay the same: which
// of them feeds the unit best depends on the device, so a ceiling is the best of all. Tensor loops need compute
// capability 8.0.
int peakLoopCount(model::ArithmeticUnit unit);

// Operations that the launch makes, a multiply-add counting as two. `sink` takes 4 bytes that are never written.
double launchPeakLoop(model::ArithmeticUnit unit, int loop, int multiprocessors, void *sink, StreamView stream);

// 16 bytes a thread and step, read and written past the caches where they would only be in the way. `bytes` is a
// multiple of 16, both pointers are aligned to it.
void launchCopy(const void *source, void *target, std::size_t bytes, int multiprocessors, StreamView stream);

void launchNothing(StreamView stream); // an empty kernel

// Holds a stream back until the host has queued all that is to be timed: else a device faster than the host waits
// between the two events, and the wait is taken for work.
class Gate {
public:
    Gate();
    // What follows on the stream waits for open(), but no longer than some milliseconds: whatever is queued may itself
    // wait for the device.
    void close(StreamView stream);
    void open() noexcept;

private:
    PinnedBuffer flag_;
    unsigned ticket_ = 0;
};

} // namespace tessera::cuda
