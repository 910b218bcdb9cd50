// SIGINT and SIGTERM, as a batch wants them: finish the files in hand, then end; a second signal ends at once.
#pragma once

#include <atomic>
#include <stop_token>
#include <string>
#include <thread>

namespace tessera {

class Console;

// While it lives, the two signals are blocked in the thread that made it and in all threads started after it, and a
// thread of its own waits for them: nothing runs inside a signal handler.
class Interruption {
public:
    // `inHand`: what is finished first, for the message.
    explicit Interruption(Console &console, std::string inHand = "the files in hand");
    ~Interruption();
    Interruption(const Interruption &) = delete;
    Interruption &operator=(const Interruption &) = delete;

    // Until this is called nothing is in hand, and a signal ends the process at once (exit 75).
    void workBegins() { working_ = true; }

    bool requested() const { return requested_; }
    std::stop_token immediateStop() const { return immediate_.get_token(); } // after the second signal

private:
    void wait();
    void stopAtOnce();

    Console &console_;
    const std::string inHand_;
    std::atomic<bool> working_{false}, requested_{false}, ending_{false};
    std::stop_source immediate_;
    std::thread waiter_;
};

} // namespace tessera
