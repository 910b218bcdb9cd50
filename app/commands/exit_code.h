// The exit codes of every command: a contract that scripts rely on. Nothing else ever leaves the program.
#pragma once

#include "app/core/error.h"

namespace tessera {

enum class ExitCode : int {
    Done = 0,
    SomeFailed = 1,    // some files failed and were named, the rest were done; compare: the pictures differ
    WrongUsage = 2,    // nothing was done
    NoUsableInput = 3, // no picture was found, or none could be read
    DeviceMissing = 4, // the device asked for is not there
    Interrupted = 75   // SIGINT or SIGTERM, after the files in hand were finished; safe to run again
};

// For an error that ends a command as a whole. An error of one file among several is SomeFailed instead.
constexpr ExitCode exitCodeFor(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::Usage:
        return ExitCode::WrongUsage;
    case ErrorKind::Input:
    case ErrorKind::Limit:
        return ExitCode::NoUsableInput;
    case ErrorKind::Device:
        return ExitCode::DeviceMissing;
    case ErrorKind::Cancelled:
        return ExitCode::Interrupted;
    case ErrorKind::Output:
    case ErrorKind::Internal:
        break;
    }
    return ExitCode::SomeFailed;
}

// For many files. What counts as unusable input is a picture that cannot be read or is over a limit.
struct FileTally {
    std::size_t done = 0;
    std::size_t failed = 0;   // of which
    std::size_t unusable = 0; // the input itself was at fault
    bool interrupted = false;

    ExitCode exitCode() const {
        if (interrupted)
            return ExitCode::Interrupted;
        if (failed == 0)
            return ExitCode::Done;
        return done == 0 && unusable == failed ? ExitCode::NoUsableInput : ExitCode::SomeFailed;
    }

    void countFailure(ErrorKind kind) {
        ++failed;
        if (kind == ErrorKind::Input || kind == ErrorKind::Limit)
            ++unusable;
    }
};

} // namespace tessera
