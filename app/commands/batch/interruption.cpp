#include "app/commands/batch/interruption.h"

#include "app/commands/console.h"
#include "app/commands/exit_code.h"

#include <csignal>
#include <ctime>
#include <pthread.h>
#include <unistd.h>
#include <utility>

namespace tessera {

namespace {

sigset_t interruptionSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP); // the terminal closed; under nohup it is ignored and never comes here
    return signals;
}

[[noreturn]] void endProcess() { ::_exit(static_cast<int>(ExitCode::Interrupted)); }

} // namespace

Interruption::Interruption(Console &console, std::string inHand) : console_(console), inHand_(std::move(inHand)) {
    const sigset_t signals = interruptionSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    waiter_ = std::thread([this] { wait(); });
}

Interruption::~Interruption() {
    ending_ = true;
    pthread_kill(waiter_.native_handle(), SIGTERM); // wakes it; the signal goes nowhere else
    waiter_.join();
}

void Interruption::wait() {
    const sigset_t signals = interruptionSignals();
    int signal = 0;
    sigwait(&signals, &signal);
    if (ending_)
        return;
    requested_ = true;
    if (!working_) {
        console_.info("interrupted before any work");
        endProcess();
    }
    console_.info("interrupted: finishing " + inHand_ + " (once more to stop at once)");
    sigwait(&signals, &signal);
    if (!ending_)
        stopAtOnce();
}

// Filters stop within milliseconds and tidy up; a decoder or a slow disk may not. They get a moment, not more.
void Interruption::stopAtOnce() {
    console_.info("stopping at once");
    immediate_.request_stop();
    const sigset_t signals = interruptionSignals();
    const timespec moment{2, 0};
    sigtimedwait(&signals, nullptr, &moment);
    if (!ending_)
        endProcess();
}

} // namespace tessera
