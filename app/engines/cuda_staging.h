// Copies between pictures on the host and the device through a ring of pinned buffers. Memory that is not pinned the
// driver copies through buffers of its own, one piece after the other; here a piece crosses the bus while the next is
// copied into the ring or the last one out of it, and streams do not wait for each other.
#pragma once

#include "gpu/device/memory.h"

#include <array>
#include <cstddef>
#include <functional>

namespace tessera::cuda {

// Made while a picture is being filtered, all of its bands together: cores share the copies of the only one.
class PictureUnderWay {
public:
    PictureUnderWay();
    ~PictureUnderWay();
    PictureUnderWay(const PictureUnderWay &) = delete;
    PictureUnderWay &operator=(const PictureUnderWay &) = delete;

    bool isOnlyOne() const;
};

class PinnedRing {
public:
    PinnedRing() = default;
    ~PinnedRing();
    PinnedRing(const PinnedRing &) = delete;
    PinnedRing &operator=(const PinnedRing &) = delete;

    void reserve(); // the pinned memory, which else the first copies wait for

    // Called before each block of some megabytes, about a millisecond apart; may throw. Copies that are under way then
    // are the caller's to wait for.
    using Pause = std::function<void()>;

    // Rows of `rowBytes`, `pitch` bytes apart. Returns when the host's memory has been read; the device's is written in
    // the stream's order.
    void upload(void *device, std::ptrdiff_t devicePitch, const std::byte *host, std::ptrdiff_t hostPitch, int rowBytes,
                int rows, StreamView stream, const Pause &pause);
    // Returns when the host's memory has been written. Waits for what the stream did before.
    void download(std::byte *host, std::ptrdiff_t hostPitch, const void *device, std::ptrdiff_t devicePitch,
                  int rowBytes, int rows, StreamView stream, const Pause &pause);

private:
    struct Slot {
        PinnedBuffer buffer;
        cudaEvent_t done = nullptr;
    };
    Slot &slotAt(int block); // ready to be waited for

    std::array<Slot, 3> slots_;
};

} // namespace tessera::cuda
