// The one exception type of the program. It says what failed, why, and what to do about it, and carries the kind
// that decides the exit code of a command (see app/commands).
#pragma once

#include <stdexcept>
#include <string>

namespace tessera {

enum class ErrorKind {
    Usage,     // the request is malformed or contradicts itself: exit 2
    Input,     // a picture or kernel file that cannot be used
    Output,    // a result that cannot be written or represented
    Device,    // the device asked for is not there, or was lost: exit 4
    Limit,     // larger than a stated limit (pixels, memory)
    Cancelled, // stopped by the user or by a newer request; not a failure to report
    Internal
};

class Error : public std::runtime_error {
public:
    // `what`: what failed and why, one sentence without a final stop. `remedy`: what the user can do; may be empty.
    Error(ErrorKind kind, const std::string &what, std::string remedy = {})
        : std::runtime_error(what), kind_(kind), remedy_(std::move(remedy)) {}

    ErrorKind kind() const noexcept { return kind_; }
    const std::string &remedy() const noexcept { return remedy_; }

    // "what (remedy)" for a log line.
    std::string fullText() const {
        return remedy_.empty() ? std::string(what()) : std::string(what()) + " (" + remedy_ + ")";
    }

private:
    ErrorKind kind_;
    std::string remedy_;
};

} // namespace tessera
