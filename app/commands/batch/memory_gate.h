// Keeps the memory of all pictures in work below a limit: a file starts when its share fits.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace tessera {

class MemoryGate {
public:
    // `stopped` is asked while waiting, several times a second; where it says true, acquire() gives up.
    MemoryGate(std::uint64_t limit, std::function<bool()> stopped) : limit_(limit), stopped_(std::move(stopped)) {}
    ~MemoryGate();
    MemoryGate(const MemoryGate &) = delete;
    MemoryGate &operator=(const MemoryGate &) = delete;

    // Keeps up to `bytes` of the limit for the memory of pictures that are gone (keepImageMemory()); a picture that
    // fits only without that gets it.
    void keepMemory(std::uint64_t bytes);

    // A share of the limit, given back at the end of its life.
    class Share {
    public:
        Share() = default;
        Share(MemoryGate *gate, std::uint64_t bytes) : gate_(gate), bytes_(bytes) {}
        Share(Share &&other) noexcept : gate_(std::exchange(other.gate_, nullptr)), bytes_(other.bytes_) {}
        Share &operator=(Share &&other) noexcept {
            std::swap(gate_, other.gate_);
            std::swap(bytes_, other.bytes_);
            return *this;
        }
        ~Share() { reduceTo(0); }

        // Gives back what is beyond `bytes`; never takes more.
        void reduceTo(std::uint64_t bytes) {
            if (!gate_ || bytes >= bytes_)
                return;
            const std::uint64_t surplus = bytes_ - bytes;
            bytes_ = bytes;
            gate_->release(surplus);
        }

    private:
        MemoryGate *gate_ = nullptr;
        std::uint64_t bytes_ = 0;
    };

    std::uint64_t limit() const { return limit_; }

    // Waits until the bytes fit, in the order of the calls, so that a large picture is not passed by small ones for
    // ever. Throws Error{Limit} where they never would, Error{Cancelled} where the batch stops meanwhile.
    Share acquire(std::uint64_t bytes);

private:
    void release(std::uint64_t bytes);
    bool fits(std::uint64_t bytes) const;

    const std::uint64_t limit_;
    const std::function<bool()> stopped_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t used_ = 0;
    std::uint64_t kept_ = 0;
    std::uint64_t nextTicket_ = 0, served_ = 0;
};

} // namespace tessera
